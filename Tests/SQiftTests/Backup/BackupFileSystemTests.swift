#if os(Linux)
    import Foundation
    import SQift
    import SQiftTestSupport
    import Testing

    /// Backups into folders of file systems that lack what SQLite itself does without.
    struct BackupFileSystemTests {
        private static let writing = "theOtherProcessBacksUp"

        /// VirtualBox's shared folders refuse it so, for example.
        private static let noSyncOfFolders = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <errno.h>
            #include <sys/stat.h>

            int fsync(int file) {
                int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
                struct stat status;
                if (fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) {
                    errno = EINVAL;
                    return -1;
                }
                return real(file);
            }
            """

        private static let noFlock = """
            #include <errno.h>

            int flock(int file, int operation) {
                errno = ENOSYS;
                return -1;
            }
            """

        @Test(
            .enabled(if: ReplacedFunction.isPossible, "it needs a C compiler"),
            arguments: [noSyncOfFolders, noFlock],
            [false, true]
        )
        func theBackupIsMadeAndReplaced(code: String, replaces: Bool) throws {
            let folder = try TemporaryFolder()
            if replaces {
                try makeFile(at: folder.path("copy.sqlite"), rows: 7).close()
            }
            let process = try OtherProcess(
                running: Self.writing,
                with: folder.url.path,
                environment: ReplacedFunction(code, in: folder).environment
            )
            #expect(process.hasPassed())
            let copy = try Connection(path: folder.path("copy.sqlite"))
            #expect(try copy.query("SELECT count(*) FROM t") == 100)
        }

        @Test(.otherProcess(writing))
        func theOtherProcessBacksUp() throws {
            let folder = try #require(OtherProcess.argument(of: Self.writing))
            let source = "\(folder)/source.sqlite"
            try makeFile(at: source).close()
            let database = try Database(path: source)
            try database.backup(to: .onDisk("\(folder)/copy.sqlite"))
        }
    }
#endif
