#if os(Linux)
    import Foundation
    import Testing

    /// Another process of the tests' own program. It runs one test, which is skipped otherwise.
    package final class OtherProcess {
        private static let variable = "SQIFT_TEST_OTHER_PROCESS"

        /// The argument that this process got if it was started to run this test.
        package static func argument(of test: String) -> String? {
            guard let value = ProcessInfo.processInfo.environment[variable],
                value.hasPrefix(test + "=")
            else { return nil }
            return String(value.dropFirst(test.count + 1))
        }

        private let process = Process()

        /// - Parameter environment: What is added to this process's environment.
        package init(
            running test: String,
            with argument: String,
            environment: [String: String] = [:]
        ) throws {
            process.executableURL = try URL(
                fileURLWithPath: FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/exe"
                )
            )
            process.arguments = ["--testing-library", "swift-testing", "--filter", test]
            process.environment = ProcessInfo.processInfo.environment
                .merging(environment) { $1 }
                .merging([Self.variable: "\(test)=\(argument)"]) { $1 }
            process.writeNoProfile()
            process.standardOutput = FileHandle.nullDevice
            try process.run()
        }

        deinit {
            kill()
        }

        /// Kills the process, as a crash would.
        package func kill() {
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }

        /// Waits for the process's end. Returns whether its test passed.
        package func hasPassed() -> Bool {
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
    }

    extension Trait where Self == ConditionTrait {
        /// Runs the test only in the process that was started for it.
        package static func otherProcess(_ test: String) -> Self {
            .enabled(if: OtherProcess.argument(of: test) != nil, "it is for another process")
        }
    }

    /// The signs that two processes give each other: files in a folder.
    package struct Signs {
        package let folder: String

        package init(folder: String) {
            self.folder = folder
        }

        package func give(_ name: String) throws {
            try Data().write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }

        package func isGiven(_ name: String) -> Bool {
            FileManager.default.fileExists(atPath: "\(folder)/\(name)")
        }

        package func wait(for name: String, sourceLocation: SourceLocation = #_sourceLocation) {
            blockingPoll("there is no sign \(name)", sourceLocation: sourceLocation) {
                isGiven(name)
            }
        }
    }
#endif
