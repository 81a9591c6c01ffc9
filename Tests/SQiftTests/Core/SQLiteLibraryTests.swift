import Foundation
import Testing

import SQift

@Suite(.timeLimit(.minutes(20))) struct SQLiteLibraryTests {
    #if os(Linux)
        /// Runs the command-line tool's demonstration with functions of SQLite replaced.
        ///
        /// - Returns: Its exit code and what it wrote to standard error.
        private func runDemo(
            replacing functions: String
        ) throws -> (
            Int32, String
        ) {
            let folder = try TemporaryFolder()
            let replaced = try ReplacedFunction(functions, in: folder)
            let tool = Process()
            tool.executableURL = commandLineTool
            tool.arguments = ["demo"]
            tool.environment = ProcessInfo.processInfo.environment
                .merging(replaced.environment) { $1 }
            let output = Pipe()
            tool.standardOutput = FileHandle.nullDevice
            tool.standardError = output
            try tool.run()
            let message = try output.fileHandleForReading.readToEnd() ?? Data()
            tool.waitUntilExit()
            return (tool.terminationStatus, String(decoding: message, as: UTF8.self))
        }

        private static let canReplace = commandLineTool != nil && ReplacedFunction.isPossible

        @Test(.enabled(if: canReplace, "it needs a C compiler and the built sqift-cli"))
        func theFirstOpeningNoticesAnOldLibrary() throws {
            let (status, message) = try runDemo(
                replacing: """
                    int sqlite3_libversion_number(void) { return 3033000; }
                    const char *sqlite3_libversion(void) { return "3.33.0"; }
                    """
            )
            #expect(status == 1)
            #expect(message.contains("SQLite 3.33.0 is too old"), "\(message)")
        }

        @Test(.enabled(if: canReplace, "it needs a C compiler and the built sqift-cli"))
        func aDatabaseNoticesALibraryForOneThread() throws {
            let (status, message) = try runDemo(
                replacing: "int sqlite3_threadsafe(void) { return 0; }"
            )
            #expect(status == 1)
            #expect(message.contains("SQLITE_THREADSAFE=0"), "\(message)")
        }
    #endif
}
