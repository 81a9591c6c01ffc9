import Foundation
import Testing

@testable import SQift

@Suite(.timeLimit(.minutes(20))) struct SQLiteLibraryTests {
    @Test(arguments: [
        (3_034_001, "3.34.1"), (3_008_011, "3.8.11"), (3_007_000, "3.7.0"), (2_008_017, "2.8.17"),
    ])
    func aLibraryThatIsTooOldIsRefused(version: Int32, name: String) {
        let error = sqliteError { try SQLiteLibrary.checkVersion(version) }
        #expect(error?.resultCode == .misuse)
        #expect(error?.message == "SQLite \(name) is too old: SQift needs 3.35 or newer")
    }

    @Test(arguments: [3_035_000, 3_035_005, 3_040_001, 3_100_000, 4_000_000])
    func aNewerLibraryIsNot(version: Int32) throws {
        try SQLiteLibrary.checkVersion(version)
    }

    @Test func aLibraryForOneThreadIsRefused() throws {
        let error = sqliteError { try SQLiteLibrary.checkThreadSafety(0) }
        #expect(error?.resultCode == .misuse)
        #expect(error?.message.contains("SQLITE_THREADSAFE=0") == true)
        try SQLiteLibrary.checkThreadSafety(1)
        try SQLiteLibrary.checkThreadSafety(2)
    }

    #if os(Linux)
        /// Runs the command-line tool's demonstration with a function of SQLite replaced.
        ///
        /// - Returns: Its exit code and what it wrote to standard error.
        private func runDemo(
            replacing function: String
        ) throws -> (
            Int32, String
        ) {
            let folder = try TemporaryFolder()
            let replaced = try ReplacedFunction(function, in: folder)
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
                replacing: "int sqlite3_libversion_number(void) { return 3033000; }"
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
