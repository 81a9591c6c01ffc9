import Foundation

// What libFuzzer calls. `.ci/fuzz` compiles it with the targets; the package leaves it out.

/// The target that the environment names.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["SQIFT_FUZZ_TARGET"]
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        fatalError("SQIFT_FUZZ_TARGET isn't one of \(FuzzTarget.all.map(\.name))")
    }
    return target
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try target.run(FuzzInput(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        // libFuzzer keeps the input of a run that ends so.
        fatalError("\(target.name): \(error)")
    }
    return 0
}
