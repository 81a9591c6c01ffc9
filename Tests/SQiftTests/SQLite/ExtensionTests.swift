// SQLite's own words for a code aren't public.
import CSQift
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

struct ExtensionTests {
    private let folder = TemporaryFolder.fresh
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    // MARK: Shared libraries

    private static let suffix: String = {
        #if canImport(Darwin)
            "dylib"
        #else
            "so"
        #endif
    }()

    private static let compiler = "/usr/bin/cc"

    private static let canCompile =
        FileManager.default.isExecutableFile(atPath: compiler)
        && ["/usr/include", "/usr/local/include"].contains {
            FileManager.default.fileExists(atPath: $0 + "/sqlite3ext.h")
        }
        && Capability.loadsExtensions

    /// Compiles an extension with three entry points.
    private func library() throws -> String {
        let (source, path) = (folder.path("tiny.c"), folder.path("tiny.\(Self.suffix)"))
        let code = """
            #include <sqlite3ext.h>
            SQLITE_EXTENSION_INIT1
            static void answer(sqlite3_context *context, int count, sqlite3_value **values) {
                sqlite3_result_int(context, 42);
            }
            int sqlite3_tiny_init(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
                SQLITE_EXTENSION_INIT2(api);
                return sqlite3_create_function(db, "answer", 0, SQLITE_UTF8, 0, answer, 0, 0);
            }
            int refuse(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
                SQLITE_EXTENSION_INIT2(api);
                *message = sqlite3_mprintf("no %s", "thanks");
                return SQLITE_ERROR;
            }
            int stay(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
                sqlite3_tiny_init(db, message, api);
                return SQLITE_OK_LOAD_PERMANENTLY;
            }
            """
        try write(code, toFile: source)
        #expect(try exitStatus(of: [Self.compiler, "-shared", "-fPIC", "-o", path, source]) == 0)
        return path
    }

    /// Runs a program. Foundation's `Process` leaks a few bytes, which the Address Sanitizer
    /// reports.
    private func exitStatus(of command: [String]) throws -> Int32 {
        let environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
        let (arguments, variables) = (command.map { strdup($0) }, environment.map { strdup($0) })
        defer { for string in arguments + variables { free(string) } }
        var (process, status) = (pid_t(), Int32())
        try #require(
            posix_spawn(&process, command[0], nil, nil, arguments + [nil], variables + [nil]) == 0
        )
        try #require(waitpid(process, &status, 0) == process)
        return status
    }

    private func expectLoadingIsOff(
        on connection: Connection,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let message =
            sqliteError { try connection.run("SELECT load_extension('nothing')") }?.message ?? ""
        #expect(
            message.contains("not authorized") || message.contains("no such function"),
            sourceLocation: sourceLocation
        )
        let code = try connection.withUnsafeHandle {
            sqlite3_load_extension($0, "nothing", nil, nil)
        }
        let reason = try connection.withUnsafeHandle { String(cString: sqlite3_errmsg($0)) }
        #expect(
            code == SQLITE_ERROR && reason.contains("not authorized"),
            sourceLocation: sourceLocation
        )
    }

    @Test(.enabled(if: canCompile, "there is no C compiler with sqlite3ext.h"))
    func anExtensionIsLoadedForThisConnection() throws {
        let path = try library()
        try connection.loadExtension(at: path)
        #expect(try connection.query("SELECT answer()") == 42)
        try expectLoadingIsOff(on: connection)
        let other = try Connection()
        expectSQLiteError(containing: "no such function") { try other.run("SELECT answer()") }

        try other.loadExtension(at: folder.path("tiny"), entryPoint: "stay")
        #expect(try other.query("SELECT answer()") == 42)
        try connection.loadExtension(at: path, entryPoint: "sqlite3_tiny_init")
        #expect(try connection.query("SELECT answer()") == 42)
    }

    @Test(.enabled(if: canCompile, "there is no C compiler with sqlite3ext.h"))
    func anExtensionThatRefusesGivesItsReason() throws {
        let path = try library()
        expectSQLiteError(containing: "no thanks") {
            try connection.loadExtension(at: path, entryPoint: "refuse")
        }
        expectSQLiteError(containing: "no_such_entry") {
            try connection.loadExtension(at: path, entryPoint: "no_such_entry")
        }
        for entryPoint in ["refuse", "no_such_entry"] {
            try? connection.loadExtension(at: path, entryPoint: entryPoint)
            try expectLoadingIsOff(on: connection)
        }
        expectSQLiteError { try connection.run("SELECT answer()") }
    }

    @Test(.enabled(if: canCompile, "there is no C compiler with sqlite3ext.h"))
    func aHardenedConnectionLoadsWhatItsProgramAsksFor() throws {
        var configuration = Connection.Configuration()
        configuration.hardened = true
        let hardened = try Connection(storageLocation: .inMemory, configuration: configuration)
        try hardened.loadExtension(at: library())
        #expect(try hardened.query("SELECT answer()") == 42)
        try expectLoadingIsOff(on: hardened)
    }

    @Test func whatIsNoLibraryThrows() throws {
        expectSQLiteError(containing: "missing") {
            try connection.loadExtension(at: folder.path("missing"))
        }
        try write("text", toFile: folder.path("text.\(Self.suffix)"))
        expectSQLiteError { try connection.loadExtension(at: folder.path("text.\(Self.suffix)")) }
        try expectLoadingIsOff(on: connection)
    }

    @Test func aNULByteIsAMisuse() throws {
        expectSQLiteError(.misuse) { try connection.loadExtension(at: "a\0b") }
        expectSQLiteError(.misuse) { try connection.loadExtension(at: "a", entryPoint: "b\0") }
        try expectLoadingIsOff(on: connection)
    }

    @Test func aClosedConnectionThrows() throws {
        try connection.close()
        expectSQLiteError(.misuse) { try connection.loadExtension(at: "a") }
        expectSQLiteError(.misuse) {
            try connection.registerStaticExtension { _, _, _ in SQLITE_OK }
        }
    }

    // MARK: Extensions in the program

    /// `SQLITE_OK_LOAD_PERMANENTLY` is the second, which Swift doesn't import.
    @Test(arguments: [SQLITE_OK, SQLITE_OK | 1 << 8])
    func aStaticExtensionIsRegistered(code: Int32) throws {
        try connection.execute("CREATE TABLE codes(code)")
        try connection.run("INSERT INTO codes VALUES(?)", code)
        try connection.registerStaticExtension { database, message, routines in
            guard let database, message != nil, routines == nil else { return SQLITE_ERROR }
            sqlite3_exec(database, "CREATE TABLE registered(x)", nil, nil, nil)
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            sqlite3_prepare_v2(database, "SELECT code FROM codes", -1, &statement, nil)
            return sqlite3_step(statement) == SQLITE_ROW
                ? sqlite3_column_int(statement, 0) : SQLITE_ERROR
        }
        #expect(try connection.tableExists("registered"))
    }

    @Test func aStaticExtensionThatRefusesGivesItsReason() throws {
        expectSQLiteError(.cantOpen, message: "no thanks") {
            try connection.registerStaticExtension { _, message, _ in
                let text = "no thanks"
                let copy = sqlite3_malloc(Int32(text.utf8.count + 1))?.assumingMemoryBound(
                    to: CChar.self
                )
                if let copy {
                    strcpy(copy, text)
                }
                message?.pointee = copy
                return SQLITE_CANTOPEN
            }
        }
    }

    @Test func aStaticExtensionThatFailsSilentlyHasTheCodesWords() throws {
        let error = sqliteError {
            try connection.registerStaticExtension { _, _, _ in SQLITE_NOMEM }
        }
        #expect(error?.resultCode == .noMemory)
        #expect(error?.message == ResultCode.noMemory.standardMessage)
    }

    // MARK: File systems

    private func open(vfs: String?) throws -> Connection {
        return try Connection.open(folder.path()) { $0.vfs = vfs }
    }

    @Test func aFileSystemWithoutLocksHasNone() throws {
        for (vfs, isLocked) in [("unix-none", false), (nil, true)] as [(String?, Bool)] {
            let (first, second) = (try open(vfs: vfs), try open(vfs: vfs))
            try first.execute("BEGIN EXCLUSIVE")
            do {
                try second.execute("BEGIN EXCLUSIVE; ROLLBACK")
                #expect(!isLocked)
            } catch let error as SQLiteError where .busy ~= error.extendedResultCode {
                #expect(isLocked)
            }
            try first.execute("ROLLBACK")
        }
    }

    @Test func anExclusiveFileSystemNeedsNoSharedMemory() throws {
        for (vfs, hasFile) in [("unix-excl", false), (nil, true)] as [(String?, Bool)] {
            let connection = try open(vfs: vfs)
            try connection.execute(
                "PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t(x); INSERT INTO t VALUES(1)"
            )
            #expect(FileManager.default.fileExists(atPath: folder.path() + "-shm") == hasFile)
            try connection.close()
        }
        try expectRows(2, on: open(vfs: "unix"))
    }

    @Test(arguments: ["nowhere", "it's"])
    func anUnknownFileSystemThrows(vfs: String) throws {
        expectSQLiteError(containing: vfs) { _ = try open(vfs: vfs) }
        #expect(!FileManager.default.fileExists(atPath: folder.path()))
    }

    @Test func aNULByteInAFileSystemsNameThrowsInsteadOfCuttingIt() throws {
        expectSQLiteError { _ = try open(vfs: "unix\0none") }
        #expect(!FileManager.default.fileExists(atPath: folder.path()))
    }
}
