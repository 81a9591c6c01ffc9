import Foundation

extension Process {
    /// Keeps a process that will be killed from writing a profile of its coverage.
    ///
    /// A kill in the middle would leave half a file, and `swift test --enable-code-coverage` would
    /// end without a report.
    package func writeNoProfile() {
        let environment = environment ?? ProcessInfo.processInfo.environment
        self.environment = environment.merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
    }
}
