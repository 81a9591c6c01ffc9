// The names are SQLite's own. Their meanings: https://sqlite.org/rescode.html#result_code_meanings
extension ResultCode {
    /// `SQLITE_OK`
    public static let ok = ResultCode(rawValue: 0)
    /// `SQLITE_ERROR`
    public static let error = ResultCode(rawValue: 1)
    /// `SQLITE_ERROR_MISSING_COLLSEQ`
    public static let errorMissingCollatingSequence = ResultCode(rawValue: 1 | 1 << 8)
    /// `SQLITE_ERROR_RETRY`
    public static let errorRetry = ResultCode(rawValue: 1 | 2 << 8)
    /// `SQLITE_ERROR_SNAPSHOT`
    public static let errorSnapshot = ResultCode(rawValue: 1 | 3 << 8)
    /// `SQLITE_INTERNAL`
    public static let internalError = ResultCode(rawValue: 2)
    /// `SQLITE_PERM`
    public static let permission = ResultCode(rawValue: 3)
    /// `SQLITE_ABORT`
    public static let abort = ResultCode(rawValue: 4)
    /// `SQLITE_ABORT_ROLLBACK`
    public static let abortRollback = ResultCode(rawValue: 4 | 2 << 8)
    /// `SQLITE_BUSY`
    public static let busy = ResultCode(rawValue: 5)
    /// `SQLITE_BUSY_RECOVERY`
    public static let busyRecovery = ResultCode(rawValue: 5 | 1 << 8)
    /// `SQLITE_BUSY_SNAPSHOT`
    public static let busySnapshot = ResultCode(rawValue: 5 | 2 << 8)
    /// `SQLITE_BUSY_TIMEOUT`
    public static let busyTimeout = ResultCode(rawValue: 5 | 3 << 8)
    /// `SQLITE_LOCKED`
    public static let locked = ResultCode(rawValue: 6)
    /// `SQLITE_LOCKED_SHAREDCACHE`
    public static let lockedSharedCache = ResultCode(rawValue: 6 | 1 << 8)
    /// `SQLITE_LOCKED_VTAB`
    public static let lockedVirtualTable = ResultCode(rawValue: 6 | 2 << 8)
    /// `SQLITE_NOMEM`
    public static let noMemory = ResultCode(rawValue: 7)
    /// `SQLITE_READONLY`
    public static let readOnly = ResultCode(rawValue: 8)
    /// `SQLITE_READONLY_RECOVERY`
    public static let readOnlyRecovery = ResultCode(rawValue: 8 | 1 << 8)
    /// `SQLITE_READONLY_CANTLOCK`
    public static let readOnlyCantLock = ResultCode(rawValue: 8 | 2 << 8)
    /// `SQLITE_READONLY_ROLLBACK`
    public static let readOnlyRollback = ResultCode(rawValue: 8 | 3 << 8)
    /// `SQLITE_READONLY_DBMOVED`
    public static let readOnlyDatabaseMoved = ResultCode(rawValue: 8 | 4 << 8)
    /// `SQLITE_READONLY_CANTINIT`
    public static let readOnlyCantInitialize = ResultCode(rawValue: 8 | 5 << 8)
    /// `SQLITE_READONLY_DIRECTORY`
    public static let readOnlyDirectory = ResultCode(rawValue: 8 | 6 << 8)
    /// `SQLITE_INTERRUPT`
    public static let interrupt = ResultCode(rawValue: 9)
    /// `SQLITE_IOERR`
    public static let ioError = ResultCode(rawValue: 10)
    /// `SQLITE_IOERR_READ`
    public static let ioErrorRead = ResultCode(rawValue: 10 | 1 << 8)
    /// `SQLITE_IOERR_SHORT_READ`
    public static let ioErrorShortRead = ResultCode(rawValue: 10 | 2 << 8)
    /// `SQLITE_IOERR_WRITE`
    public static let ioErrorWrite = ResultCode(rawValue: 10 | 3 << 8)
    /// `SQLITE_IOERR_FSYNC`
    public static let ioErrorFsync = ResultCode(rawValue: 10 | 4 << 8)
    /// `SQLITE_IOERR_DIR_FSYNC`
    public static let ioErrorDirectoryFsync = ResultCode(rawValue: 10 | 5 << 8)
    /// `SQLITE_IOERR_TRUNCATE`
    public static let ioErrorTruncate = ResultCode(rawValue: 10 | 6 << 8)
    /// `SQLITE_IOERR_FSTAT`
    public static let ioErrorFileStatus = ResultCode(rawValue: 10 | 7 << 8)
    /// `SQLITE_IOERR_UNLOCK`
    public static let ioErrorUnlock = ResultCode(rawValue: 10 | 8 << 8)
    /// `SQLITE_IOERR_RDLOCK`
    public static let ioErrorReadLock = ResultCode(rawValue: 10 | 9 << 8)
    /// `SQLITE_IOERR_DELETE`
    public static let ioErrorDelete = ResultCode(rawValue: 10 | 10 << 8)
    /// `SQLITE_IOERR_BLOCKED`
    public static let ioErrorBlocked = ResultCode(rawValue: 10 | 11 << 8)
    /// `SQLITE_IOERR_NOMEM`
    public static let ioErrorNoMemory = ResultCode(rawValue: 10 | 12 << 8)
    /// `SQLITE_IOERR_ACCESS`
    public static let ioErrorAccess = ResultCode(rawValue: 10 | 13 << 8)
    /// `SQLITE_IOERR_CHECKRESERVEDLOCK`
    public static let ioErrorCheckReservedLock = ResultCode(rawValue: 10 | 14 << 8)
    /// `SQLITE_IOERR_LOCK`
    public static let ioErrorLock = ResultCode(rawValue: 10 | 15 << 8)
    /// `SQLITE_IOERR_CLOSE`
    public static let ioErrorClose = ResultCode(rawValue: 10 | 16 << 8)
    /// `SQLITE_IOERR_DIR_CLOSE`
    public static let ioErrorDirectoryClose = ResultCode(rawValue: 10 | 17 << 8)
    /// `SQLITE_IOERR_SHMOPEN`
    public static let ioErrorSharedMemoryOpen = ResultCode(rawValue: 10 | 18 << 8)
    /// `SQLITE_IOERR_SHMSIZE`
    public static let ioErrorSharedMemorySize = ResultCode(rawValue: 10 | 19 << 8)
    /// `SQLITE_IOERR_SHMLOCK`
    public static let ioErrorSharedMemoryLock = ResultCode(rawValue: 10 | 20 << 8)
    /// `SQLITE_IOERR_SHMMAP`
    public static let ioErrorSharedMemoryMap = ResultCode(rawValue: 10 | 21 << 8)
    /// `SQLITE_IOERR_SEEK`
    public static let ioErrorSeek = ResultCode(rawValue: 10 | 22 << 8)
    /// `SQLITE_IOERR_DELETE_NOENT`
    public static let ioErrorDeleteNoEntry = ResultCode(rawValue: 10 | 23 << 8)
    /// `SQLITE_IOERR_MMAP`
    public static let ioErrorMemoryMap = ResultCode(rawValue: 10 | 24 << 8)
    /// `SQLITE_IOERR_GETTEMPPATH`
    public static let ioErrorGetTemporaryPath = ResultCode(rawValue: 10 | 25 << 8)
    /// `SQLITE_IOERR_CONVPATH`
    public static let ioErrorConvertPath = ResultCode(rawValue: 10 | 26 << 8)
    /// `SQLITE_IOERR_VNODE`
    public static let ioErrorVnode = ResultCode(rawValue: 10 | 27 << 8)
    /// `SQLITE_IOERR_AUTH`
    public static let ioErrorAuthorization = ResultCode(rawValue: 10 | 28 << 8)
    /// `SQLITE_IOERR_BEGIN_ATOMIC`
    public static let ioErrorBeginAtomic = ResultCode(rawValue: 10 | 29 << 8)
    /// `SQLITE_IOERR_COMMIT_ATOMIC`
    public static let ioErrorCommitAtomic = ResultCode(rawValue: 10 | 30 << 8)
    /// `SQLITE_IOERR_ROLLBACK_ATOMIC`
    public static let ioErrorRollbackAtomic = ResultCode(rawValue: 10 | 31 << 8)
    /// `SQLITE_IOERR_DATA`
    public static let ioErrorData = ResultCode(rawValue: 10 | 32 << 8)
    /// `SQLITE_IOERR_CORRUPTFS`
    public static let ioErrorCorruptFileSystem = ResultCode(rawValue: 10 | 33 << 8)
    /// `SQLITE_IOERR_IN_PAGE`
    public static let ioErrorInPage = ResultCode(rawValue: 10 | 34 << 8)
    /// `SQLITE_CORRUPT`
    public static let corrupt = ResultCode(rawValue: 11)
    /// `SQLITE_CORRUPT_VTAB`
    public static let corruptVirtualTable = ResultCode(rawValue: 11 | 1 << 8)
    /// `SQLITE_CORRUPT_SEQUENCE`
    public static let corruptSequence = ResultCode(rawValue: 11 | 2 << 8)
    /// `SQLITE_CORRUPT_INDEX`
    public static let corruptIndex = ResultCode(rawValue: 11 | 3 << 8)
    /// `SQLITE_NOTFOUND`
    public static let notFound = ResultCode(rawValue: 12)
    /// `SQLITE_FULL`
    public static let full = ResultCode(rawValue: 13)
    /// `SQLITE_CANTOPEN`
    public static let cantOpen = ResultCode(rawValue: 14)
    /// `SQLITE_CANTOPEN_NOTEMPDIR`
    public static let cantOpenNoTemporaryDirectory = ResultCode(rawValue: 14 | 1 << 8)
    /// `SQLITE_CANTOPEN_ISDIR`
    public static let cantOpenIsDirectory = ResultCode(rawValue: 14 | 2 << 8)
    /// `SQLITE_CANTOPEN_FULLPATH`
    public static let cantOpenFullPath = ResultCode(rawValue: 14 | 3 << 8)
    /// `SQLITE_CANTOPEN_CONVPATH`
    public static let cantOpenConvertPath = ResultCode(rawValue: 14 | 4 << 8)
    /// `SQLITE_CANTOPEN_DIRTYWAL`
    public static let cantOpenDirtyWAL = ResultCode(rawValue: 14 | 5 << 8)
    /// `SQLITE_CANTOPEN_SYMLINK`
    public static let cantOpenSymlink = ResultCode(rawValue: 14 | 6 << 8)
    /// `SQLITE_PROTOCOL`
    public static let protocolError = ResultCode(rawValue: 15)
    /// `SQLITE_EMPTY`
    public static let empty = ResultCode(rawValue: 16)
    /// `SQLITE_SCHEMA`
    public static let schema = ResultCode(rawValue: 17)
    /// `SQLITE_TOOBIG`
    public static let tooBig = ResultCode(rawValue: 18)
    /// `SQLITE_CONSTRAINT`
    public static let constraint = ResultCode(rawValue: 19)
    /// `SQLITE_CONSTRAINT_CHECK`
    public static let constraintCheck = ResultCode(rawValue: 19 | 1 << 8)
    /// `SQLITE_CONSTRAINT_COMMITHOOK`
    public static let constraintCommitHook = ResultCode(rawValue: 19 | 2 << 8)
    /// `SQLITE_CONSTRAINT_FOREIGNKEY`
    public static let constraintForeignKey = ResultCode(rawValue: 19 | 3 << 8)
    /// `SQLITE_CONSTRAINT_FUNCTION`
    public static let constraintFunction = ResultCode(rawValue: 19 | 4 << 8)
    /// `SQLITE_CONSTRAINT_NOTNULL`
    public static let constraintNotNull = ResultCode(rawValue: 19 | 5 << 8)
    /// `SQLITE_CONSTRAINT_PRIMARYKEY`
    public static let constraintPrimaryKey = ResultCode(rawValue: 19 | 6 << 8)
    /// `SQLITE_CONSTRAINT_TRIGGER`
    public static let constraintTrigger = ResultCode(rawValue: 19 | 7 << 8)
    /// `SQLITE_CONSTRAINT_UNIQUE`
    public static let constraintUnique = ResultCode(rawValue: 19 | 8 << 8)
    /// `SQLITE_CONSTRAINT_VTAB`
    public static let constraintVirtualTable = ResultCode(rawValue: 19 | 9 << 8)
    /// `SQLITE_CONSTRAINT_ROWID`
    public static let constraintRowID = ResultCode(rawValue: 19 | 10 << 8)
    /// `SQLITE_CONSTRAINT_PINNED`
    public static let constraintPinned = ResultCode(rawValue: 19 | 11 << 8)
    /// `SQLITE_CONSTRAINT_DATATYPE`
    public static let constraintDataType = ResultCode(rawValue: 19 | 12 << 8)
    /// `SQLITE_MISMATCH`
    public static let mismatch = ResultCode(rawValue: 20)
    /// `SQLITE_MISUSE`
    public static let misuse = ResultCode(rawValue: 21)
    /// `SQLITE_NOLFS`
    public static let noLargeFileSupport = ResultCode(rawValue: 22)
    /// `SQLITE_AUTH`
    public static let authorization = ResultCode(rawValue: 23)
    /// `SQLITE_FORMAT`
    public static let format = ResultCode(rawValue: 24)
    /// `SQLITE_RANGE`
    public static let range = ResultCode(rawValue: 25)
    /// `SQLITE_NOTADB`
    public static let notADatabase = ResultCode(rawValue: 26)
    /// `SQLITE_NOTICE`
    public static let notice = ResultCode(rawValue: 27)
    /// `SQLITE_NOTICE_RECOVER_WAL`
    public static let noticeRecoverWAL = ResultCode(rawValue: 27 | 1 << 8)
    /// `SQLITE_NOTICE_RECOVER_ROLLBACK`
    public static let noticeRecoverRollback = ResultCode(rawValue: 27 | 2 << 8)
    /// `SQLITE_WARNING`
    public static let warning = ResultCode(rawValue: 28)
    /// `SQLITE_WARNING_AUTOINDEX`
    public static let warningAutomaticIndex = ResultCode(rawValue: 28 | 1 << 8)
    /// `SQLITE_ROW`
    public static let row = ResultCode(rawValue: 100)
    /// `SQLITE_DONE`
    public static let done = ResultCode(rawValue: 101)
}
