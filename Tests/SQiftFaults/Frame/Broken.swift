/// A promise that wasn't kept: what should have been, and what was.
struct Broken: Error, CustomStringConvertible {
    let description: String
}

/// Throws if a promise wasn't kept.
func expect(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    guard condition else { throw Broken(description: description()) }
}
