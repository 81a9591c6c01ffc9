#if os(Linux)
    import Foundation
    import SQift
    import SQiftTestSupport
    import Testing

    /// A backup whose folder can't be synced once the new file is in it.
    struct BackupSyncTests {
        private static let writing = "theOtherProcessReportsThatTheFolderIsNotSynced"

        /// A folder can't be synced just after a file in it got its name.
        private static let failingSync = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <errno.h>
            #include <string.h>
            #include <sys/stat.h>

            static int isInPlace;

            int rename(const char *path, const char *newPath) {
                int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
                int result = real(path, newPath);
                if (result == 0 && strstr(newPath, "/copy.sqlite")) isInPlace = 1;
                return result;
            }

            int fsync(int file) {
                int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
                struct stat status;
                if (isInPlace && fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) {
                    isInPlace = 0;
                    errno = EIO;
                    return -1;
                }
                return real(file);
            }
            """

        @Test(
            .enabled(if: ReplacedFunction.isPossible, "it needs a C compiler"),
            arguments: [false, true]
        )
        func aFolderThatIsNotSyncedIsReportedWithTheNewFileInPlace(replaces: Bool) throws {
            let folder = try TemporaryFolder()
            if replaces {
                try makeFile(at: folder.path("copy.sqlite"), rows: 7).close()
            }
            let process = try OtherProcess(
                running: Self.writing,
                with: folder.url.path,
                environment: ReplacedFunction(Self.failingSync, in: folder).environment
            )
            #expect(process.hasPassed())
            #expect(try folder.files().contains("reported"))
            let copy = try Connection(path: folder.path("copy.sqlite"))
            #expect(try copy.query("SELECT count(*) FROM t") == 100)
        }

        @Test(.otherProcess(writing))
        func theOtherProcessReportsThatTheFolderIsNotSynced() throws {
            let folder = try #require(OtherProcess.argument(of: Self.writing))
            let copy = StorageLocation.onDisk("\(folder)/copy.sqlite")
            let source = "\(folder)/source.sqlite"
            try makeFile(at: source).close()
            let database = try Database(path: source)
            let error = try #require(backupError { try database.backup(to: copy) })
            #expect(error.reason == .notSynced)
            #expect(error.message.contains("the new backup is in place"))

            let migrator = [Migration("one", sql: "CREATE TABLE u(x)")]
            let stopped = backupError {
                try database.writeWithoutTransaction { connection in
                    try connection.migrator(migrator)
                        .run(backupTo: .onDisk("\(folder)/copy.sqlite"))
                }
            }
            #expect(stopped?.reason == .notSynced)
            #expect(try database.read { try $0.tableExists("u") } == false)
            try Signs(folder: folder).give("reported")
        }
    }
#endif
