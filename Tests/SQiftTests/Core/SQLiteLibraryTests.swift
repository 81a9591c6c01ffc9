import Foundation
import SQiftTestSupport
import Testing

import SQift

struct SQLiteLibraryTests {
    #if os(Linux)
        /// Runs the command-line tool with functions of SQLite replaced.
        ///
        /// - Returns: Its exit code and what it wrote to standard error.
        private func run(
            _ arguments: [String] = ["demo"],
            replacing functions: String
        ) throws -> (
            Int32, String
        ) {
            let folder = try TemporaryFolder()
            let replaced = try ReplacedFunction(functions, in: folder)
            let tool = Process()
            tool.executableURL = commandLineTool
            tool.arguments = arguments
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
            let (status, message) = try run(
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
            try ToolRun(script: script, in: TemporaryFolder()).expect(
                1,
                errors: "SQLite 3.26.0 is too old"
            )
        }

        @Test(.enabled(if: canReplace, "it needs a C compiler and the built sqift-cli"))
        func aDatabaseNoticesALibraryForOneThread() throws {
            let (status, message) = try run(
                replacing: "int sqlite3_threadsafe(void) { return 0; }"
            )
            #expect(status == 1)
            #expect(message.contains("SQLITE_THREADSAFE=0"), "\(message)")
        }

        /// As Apple's, which says that it was built to encrypt, or doesn't.
        @Test(
            .enabled(if: canReplace, "it needs a C compiler and the built sqift-cli"),
            .disabled(if: Capability.encryption, "this SQLite encrypts"),
            arguments: [0, 1]
        )
        func aKeyThatALibraryWouldIgnoreTouchesNoFile(saysThatItEncrypts: Int) throws {
            let folder = try TemporaryFolder()
            let migrations = folder.url.appendingPathComponent("migrations")
            try FileManager.default.createDirectory(
                at: migrations,
                withIntermediateDirectories: true
            )
            try Data("CREATE TABLE t(x)".utf8)
                .write(to: migrations.appendingPathComponent("1_first.sql"))
            try Data("secret".utf8).write(to: folder.url.appendingPathComponent("key"))
            let code = """
                #include <string.h>
                int sqlite3_key(void *db, const void *key, int size) { return 0; }
                int sqlite3_rekey(void *db, const void *key, int size) { return 0; }
                int sqlite3_compileoption_used(const char *name) {
                    return strstr(name, "HAS_CODEC") != 0 && \(saysThatItEncrypts);
                }
                """
            let (status, message) = try run(
                [
                    "migrate", folder.path(), migrations.path, "--key-file", folder.path("key"),
                ],
                replacing: code
            )
            #expect(status == 1)
            #expect(message.contains("hasn't shown that it encrypts"), "\(message)")
            #expect(try folder.files() == ["key", "migrations"])
        }

        /// A `Database`, as `restore` uses it, checks that its settings were taken.
        @Test(.enabled(if: canReplace, "it needs a C compiler and the built sqift-cli"))
        func aSettingThatALibraryIgnoresIsAnError() throws {
            let folder = try TemporaryFolder()
            try folder.connection().execute("CREATE TABLE t(x)")
            let code = """
                #define _GNU_SOURCE
                #include <dlfcn.h>
                #include <string.h>
                int sqlite3_prepare_v3(
                    void *db, const char *sql, int size, unsigned flags, void *out, const char **end
                ) {
                    const char *ignored = "PRAGMA foreign_keys = 1", *given = sql;
                    if (!strncmp(sql, ignored, strlen(ignored))) sql = "PRAGMA foreign_keys = 0";
                    int (*next)(void *, const char *, int, unsigned, void *, const char **) =
                        dlsym(RTLD_NEXT, "sqlite3_prepare_v3");
                    int code = next(db, sql, size, flags, out, end);
                    *end = given + (*end - sql);
                    return code;
                }
                """
            let arguments = ["restore", folder.path(), folder.path("new.sqlite")]
            let (status, message) = try run(arguments, replacing: code)
            #expect(status == 1)
            #expect(message.contains("didn't take PRAGMA foreign_keys = 1"), "\(message)")
        }

        /// A connection that is hardened, as that of `check`, needs no switch for what can't be.
        @Test(
            .enabled(if: canReplace, "it needs a C compiler and the built sqift-cli"),
            arguments: [false, true]
        )
        func aSwitchForExtensionsIsNeededOnlyIfTheyCanBeLoaded(canLoad: Bool) throws {
            let folder = try TemporaryFolder()
            try folder.connection().execute("CREATE TABLE t(x)")
            let code = """
                #define _GNU_SOURCE
                #include <dlfcn.h>
                #include <stdarg.h>
                #include <string.h>
                int sqlite3_db_config(void *db, int operation, ...) {
                    if (operation == 1005) return 1;
                    va_list list;
                    va_start(list, operation);
                    int value = va_arg(list, int);
                    int *result = va_arg(list, int *);
                    va_end(list);
                    int (*next)(void *, int, ...) = dlsym(RTLD_NEXT, "sqlite3_db_config");
                    return next(db, operation, value, result);
                }
                int sqlite3_compileoption_used(const char *name) {
                    return strstr(name, "OMIT_LOAD_EXTENSION") != 0 && !\(canLoad ? 1 : 0);
                }
                """
            let (status, message) = try run(["check", folder.path()], replacing: code)
            #expect(status == (canLoad ? 1 : 0), "\(message)")
            #expect(message.contains("load_extension can't be set") == canLoad, "\(message)")
        }

        /// Where a weak symbol isn't possible, functions are looked up by name. Another library that
        /// was loaded first must not be taken for SQLite.
        @Test(.enabled(if: canReplace, "it needs a C compiler and the built sqift-cli"))
        func aFunctionIsFoundInTheLibraryOfTheOthers() throws {
            let program = """
                #define SQIFT_FINDS_AT_RUN_TIME
                #include <sqlite3.h>
                #include "shim.h"
                SQIFT_OPTIONAL(no_such_function, int, void)
                int main(void) {
                    sqlite3 *db = 0;
                    sqlite3_open(":memory:", &db);
                    int (*state)(sqlite3 *, const char *) = sqift_find_txn_state();
                    printf("%d ", sqlite3_txn_state(db, 0));
                    printf("%d ", state ? state(db, 0) : -1);
                    printf("%d", sqift_find_no_such_function() == 0);
                    return 0;
                }
                """
            let headers = packageFolder.appendingPathComponent("Sources/CSQift").path
            let run = try ToolRun(
                script: """
                    cat >program.c <<'END'
                    #define _GNU_SOURCE
                    \(program)
                    END
                    echo 'int sqlite3_txn_state(void *db, const char *name) { return 77; }' >first.c
                    cc -shared -fPIC -o libfirst.so first.c
                    cc -w -I '\(headers)' -o program program.c -L. -Wl,--no-as-needed -lfirst \
                        -lsqlite3 -ldl
                    LD_LIBRARY_PATH=.:$LD_LIBRARY_PATH ./program
                    """,
                in: TemporaryFolder()
            )
            #expect(run.errors == "")
            #expect(run.output == "77 0 1")
        }
    #endif
}
