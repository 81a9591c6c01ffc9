import Foundation

/// Runs a step of the demonstration, and prints its title and how long it took.
func timeStep<T>(_ title: String, _ body: () throws -> T) rethrows -> T {
    let start = DispatchTime.now().uptimeNanoseconds
    defer { printStep(title, since: start) }
    return try body()
}

/// The same for an asynchronous step.
func timeStep<T: Sendable>(
    _ title: String,
    _ body: @Sendable () async throws -> T
) async rethrows -> T {
    let start = DispatchTime.now().uptimeNanoseconds
    defer { printStep(title, since: start) }
    return try await body()
}

private func printStep(_ title: String, since start: UInt64) {
    let milliseconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6
    let time = String(format: "%9.1f ms", milliseconds)
    print(title.padding(toLength: 66, withPad: " ", startingAt: 0) + time)
}
