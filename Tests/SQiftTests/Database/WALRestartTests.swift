#if os(Linux)
    import Foundation
    import SQift
    import SQiftTestSupport
    import Testing

    /// How often a writer tries to start the WAL from its beginning again.
    struct WALRestartTests {
        private static let writing = "theOtherProcessWritesBesideALongReader"

        /// Notes each try in a file.
        private static let notingRestarts = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <stdio.h>
            #include <stdlib.h>

            int sqlite3_wal_checkpoint_v2(void *db, const char *name, int mode, int *a, int *b) {
                int (*real)(void *, const char *, int, int *, int *) =
                    dlsym(RTLD_NEXT, "sqlite3_wal_checkpoint_v2");
                const char *path = getenv("SQIFT_TEST_RESTARTS");
                FILE *file = mode == 2 && path ? fopen(path, "a") : NULL;
                if (file) {
                    fputc('.', file);
                    fclose(file);
                }
                return real(db, name, mode, a, b);
            }
            """

        /// Each try takes up to 200 ms, in which nobody else writes.
        @Test(.enabled(if: ReplacedFunction.isPossible, "it needs a C compiler"))
        func afterAReaderWasInTheWayWritesGoOnWithoutTryingAgain() throws {
            let folder = try TemporaryFolder()
            let connection = try folder.connection()
            try connection.execute("PRAGMA page_size = 512; CREATE TABLE t(x)")
            try connection.close()
            var environment = try ReplacedFunction(Self.notingRestarts, in: folder).environment
            environment["SQIFT_TEST_RESTARTS"] = folder.path("restarts")
            let process = try OtherProcess(
                running: Self.writing,
                with: folder.url.path,
                environment: environment
            )
            #expect(process.hasPassed())
            #expect(try folder.files().contains("reported"))
        }

        @Test(.otherProcess(writing)) func theOtherProcessWritesBesideALongReader() throws {
            let folder = try #require(OtherProcess.argument(of: Self.writing))
            func restartCount() -> Int {
                FileManager.default.contents(atPath: "\(folder)/restarts")?.count ?? 0
            }
            let database = try Database.open("\(folder)/test.sqlite") { $0.journalSizeLimit = 0 }
            let snapshot = try database.snapshot()
            try database.run("INSERT INTO t VALUES(zeroblob(2000000))")
            #expect(restartCount() > 0)

            // The pause is two seconds, and one try may be under way.
            let before = restartCount()
            let end = DispatchTime.now() + 1
            while DispatchTime.now() < end {
                try database.run("INSERT INTO t VALUES(1)")
            }
            #expect(restartCount() - before < 3)

            try snapshot.close()
            try Signs(folder: folder).give("reported")
        }
    }
#endif
