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

        /// What an older library lacks doesn't stop a program that binds all functions at its start.
        @Test(.enabled(if: canReplace, "it needs a C compiler and the built sqift-cli"))
        func aProgramStartsWithALibraryThatLacksFunctions() throws {
            let script = """
                names=$(nm -D --undefined-only "$0" | grep -o ' U sqlite3_[a-z0-9_]*' | cut -c4- \
                    | grep -vE 'sqlite3_(libversion|filename_journal|stmt_isexplain)')
                {
                    for name in $names; do echo "void $name(void) {}"; done
                    echo 'int sqlite3_libversion_number(void) { return 3026000; }'
                    echo 'const char *sqlite3_libversion(void) { return "3.26.0"; }'
                } >old.c
                cc -shared -fPIC -w -o libsqlite3.so.0 old.c
                LD_LIBRARY_PATH=. LD_BIND_NOW=1 exec "$0" demo
                """
            let run = try ToolRun(script: script, in: TemporaryFolder())
            #expect(run.status == 1)
            #expect(run.errors.contains("SQLite 3.26.0 is too old"), "\(run.errors)")
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
