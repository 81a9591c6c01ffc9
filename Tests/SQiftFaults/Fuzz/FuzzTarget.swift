/// Something that takes any bytes and keeps its promises. The fuzzer finds inputs for it, and those
/// that were worth keeping are in `Corpus`, in a folder of its name.
struct FuzzTarget: Sendable {
    let name: String

    /// - Throws: `Broken` for a promise that isn't kept, and any error that nothing may cause.
    let run: @Sendable (FuzzInput) throws -> Void

    static let all = [
        sql, script, migrations, dates, json, functions, bytes, operations,
    ]
}
