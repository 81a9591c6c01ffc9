// The names are SQLite's own. Their meanings: https://sqlite.org/rescode.html#result_code_meanings
extension ResultCode {
    /// The extended code with this number above the primary code's eight bits.
    private func extended(_ number: Int32) -> ResultCode {
        ResultCode(rawValue: rawValue | number << 8)
    }

    /// `SQLITE_OK`
    public static let ok = ResultCode(rawValue: 0)
    /// `SQLITE_ERROR`
    public static let error = ResultCode(rawValue: 1)
    /// `SQLITE_ERROR_MISSING_COLLSEQ`
    public static let errorMissingCollatingSequence = error.extended(1)
    /// `SQLITE_ERROR_RETRY`
    public static let errorRetry = error.extended(2)
    /// `SQLITE_ERROR_SNAPSHOT`
    public static let errorSnapshot = error.extended(3)
    /// `SQLITE_INTERNAL`
    public static let internalError = ResultCode(rawValue: 2)
    /// `SQLITE_PERM`
    public static let permission = ResultCode(rawValue: 3)
    /// `SQLITE_ABORT`
    public static let abort = ResultCode(rawValue: 4)
    /// `SQLITE_ABORT_ROLLBACK`
    public static let abortRollback = abort.extended(2)
    /// `SQLITE_BUSY`
    public static let busy = ResultCode(rawValue: 5)
    /// `SQLITE_BUSY_RECOVERY`
    public static let busyRecovery = busy.extended(1)
    /// `SQLITE_BUSY_SNAPSHOT`
    public static let busySnapshot = busy.extended(2)
    /// `SQLITE_BUSY_TIMEOUT`
    public static let busyTimeout = busy.extended(3)
    /// `SQLITE_LOCKED`
    public static let locked = ResultCode(rawValue: 6)
    /// `SQLITE_LOCKED_SHAREDCACHE`
    public static let lockedSharedCache = locked.extended(1)
    /// `SQLITE_LOCKED_VTAB`
    public static let lockedVirtualTable = locked.extended(2)
    /// `SQLITE_NOMEM`
    public static let noMemory = ResultCode(rawValue: 7)
    /// `SQLITE_READONLY`
    public static let readOnly = ResultCode(rawValue: 8)
    /// `SQLITE_READONLY_RECOVERY`
    public static let readOnlyRecovery = readOnly.extended(1)
    /// `SQLITE_READONLY_CANTLOCK`
    public static let readOnlyCantLock = readOnly.extended(2)
    /// `SQLITE_READONLY_ROLLBACK`
    public static let readOnlyRollback = readOnly.extended(3)
    /// `SQLITE_READONLY_DBMOVED`
    public static let readOnlyDatabaseMoved = readOnly.extended(4)
    /// `SQLITE_READONLY_CANTINIT`
    public static let readOnlyCantInitialize = readOnly.extended(5)
    /// `SQLITE_READONLY_DIRECTORY`
    public static let readOnlyDirectory = readOnly.extended(6)
    /// `SQLITE_INTERRUPT`
    public static let interrupt = ResultCode(rawValue: 9)
    /// `SQLITE_IOERR`
    public static let ioError = ResultCode(rawValue: 10)
    /// `SQLITE_IOERR_READ`
    public static let ioErrorRead = ioError.extended(1)
    /// `SQLITE_IOERR_SHORT_READ`
    public static let ioErrorShortRead = ioError.extended(2)
    /// `SQLITE_IOERR_WRITE`
    public static let ioErrorWrite = ioError.extended(3)
    /// `SQLITE_IOERR_FSYNC`
    public static let ioErrorFsync = ioError.extended(4)
    /// `SQLITE_IOERR_DIR_FSYNC`
    public static let ioErrorDirectoryFsync = ioError.extended(5)
    /// `SQLITE_IOERR_TRUNCATE`
    public static let ioErrorTruncate = ioError.extended(6)
    /// `SQLITE_IOERR_FSTAT`
    public static let ioErrorFileStatus = ioError.extended(7)
    /// `SQLITE_IOERR_UNLOCK`
    public static let ioErrorUnlock = ioError.extended(8)
    /// `SQLITE_IOERR_RDLOCK`
    public static let ioErrorReadLock = ioError.extended(9)
    /// `SQLITE_IOERR_DELETE`
    public static let ioErrorDelete = ioError.extended(10)
    /// `SQLITE_IOERR_BLOCKED`
    public static let ioErrorBlocked = ioError.extended(11)
    /// `SQLITE_IOERR_NOMEM`
    public static let ioErrorNoMemory = ioError.extended(12)
    /// `SQLITE_IOERR_ACCESS`
    public static let ioErrorAccess = ioError.extended(13)
    /// `SQLITE_IOERR_CHECKRESERVEDLOCK`
    public static let ioErrorCheckReservedLock = ioError.extended(14)
    /// `SQLITE_IOERR_LOCK`
    public static let ioErrorLock = ioError.extended(15)
    /// `SQLITE_IOERR_CLOSE`
    public static let ioErrorClose = ioError.extended(16)
    /// `SQLITE_IOERR_DIR_CLOSE`
    public static let ioErrorDirectoryClose = ioError.extended(17)
    /// `SQLITE_IOERR_SHMOPEN`
    public static let ioErrorSharedMemoryOpen = ioError.extended(18)
    /// `SQLITE_IOERR_SHMSIZE`
    public static let ioErrorSharedMemorySize = ioError.extended(19)
    /// `SQLITE_IOERR_SHMLOCK`
    public static let ioErrorSharedMemoryLock = ioError.extended(20)
    /// `SQLITE_IOERR_SHMMAP`
    public static let ioErrorSharedMemoryMap = ioError.extended(21)
    /// `SQLITE_IOERR_SEEK`
    public static let ioErrorSeek = ioError.extended(22)
    /// `SQLITE_IOERR_DELETE_NOENT`
    public static let ioErrorDeleteNoEntry = ioError.extended(23)
    /// `SQLITE_IOERR_MMAP`
    public static let ioErrorMemoryMap = ioError.extended(24)
    /// `SQLITE_IOERR_GETTEMPPATH`
    public static let ioErrorGetTemporaryPath = ioError.extended(25)
    /// `SQLITE_IOERR_CONVPATH`
    public static let ioErrorConvertPath = ioError.extended(26)
    /// `SQLITE_IOERR_VNODE`
    public static let ioErrorVnode = ioError.extended(27)
    /// `SQLITE_IOERR_AUTH`
    public static let ioErrorAuthorization = ioError.extended(28)
    /// `SQLITE_IOERR_BEGIN_ATOMIC`
    public static let ioErrorBeginAtomic = ioError.extended(29)
    /// `SQLITE_IOERR_COMMIT_ATOMIC`
    public static let ioErrorCommitAtomic = ioError.extended(30)
    /// `SQLITE_IOERR_ROLLBACK_ATOMIC`
    public static let ioErrorRollbackAtomic = ioError.extended(31)
    /// `SQLITE_IOERR_DATA`
    public static let ioErrorData = ioError.extended(32)
    /// `SQLITE_IOERR_CORRUPTFS`
    public static let ioErrorCorruptFileSystem = ioError.extended(33)
    /// `SQLITE_IOERR_IN_PAGE`
    public static let ioErrorInPage = ioError.extended(34)
    /// `SQLITE_CORRUPT`
    public static let corrupt = ResultCode(rawValue: 11)
    /// `SQLITE_CORRUPT_VTAB`
    public static let corruptVirtualTable = corrupt.extended(1)
    /// `SQLITE_CORRUPT_SEQUENCE`
    public static let corruptSequence = corrupt.extended(2)
    /// `SQLITE_CORRUPT_INDEX`
    public static let corruptIndex = corrupt.extended(3)
    /// `SQLITE_NOTFOUND`
    public static let notFound = ResultCode(rawValue: 12)
    /// `SQLITE_FULL`
    public static let full = ResultCode(rawValue: 13)
    /// `SQLITE_CANTOPEN`
    public static let cantOpen = ResultCode(rawValue: 14)
    /// `SQLITE_CANTOPEN_NOTEMPDIR`
    public static let cantOpenNoTemporaryDirectory = cantOpen.extended(1)
    /// `SQLITE_CANTOPEN_ISDIR`
    public static let cantOpenIsDirectory = cantOpen.extended(2)
    /// `SQLITE_CANTOPEN_FULLPATH`
    public static let cantOpenFullPath = cantOpen.extended(3)
    /// `SQLITE_CANTOPEN_CONVPATH`
    public static let cantOpenConvertPath = cantOpen.extended(4)
    /// `SQLITE_CANTOPEN_DIRTYWAL`
    public static let cantOpenDirtyWAL = cantOpen.extended(5)
    /// `SQLITE_CANTOPEN_SYMLINK`
    public static let cantOpenSymlink = cantOpen.extended(6)
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
    public static let constraintCheck = constraint.extended(1)
    /// `SQLITE_CONSTRAINT_COMMITHOOK`
    public static let constraintCommitHook = constraint.extended(2)
    /// `SQLITE_CONSTRAINT_FOREIGNKEY`
    public static let constraintForeignKey = constraint.extended(3)
    /// `SQLITE_CONSTRAINT_FUNCTION`
    public static let constraintFunction = constraint.extended(4)
    /// `SQLITE_CONSTRAINT_NOTNULL`
    public static let constraintNotNull = constraint.extended(5)
    /// `SQLITE_CONSTRAINT_PRIMARYKEY`
    public static let constraintPrimaryKey = constraint.extended(6)
    /// `SQLITE_CONSTRAINT_TRIGGER`
    public static let constraintTrigger = constraint.extended(7)
    /// `SQLITE_CONSTRAINT_UNIQUE`
    public static let constraintUnique = constraint.extended(8)
    /// `SQLITE_CONSTRAINT_VTAB`
    public static let constraintVirtualTable = constraint.extended(9)
    /// `SQLITE_CONSTRAINT_ROWID`
    public static let constraintRowID = constraint.extended(10)
    /// `SQLITE_CONSTRAINT_PINNED`
    public static let constraintPinned = constraint.extended(11)
    /// `SQLITE_CONSTRAINT_DATATYPE`
    public static let constraintDataType = constraint.extended(12)
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
    public static let noticeRecoverWAL = notice.extended(1)
    /// `SQLITE_NOTICE_RECOVER_ROLLBACK`
    public static let noticeRecoverRollback = notice.extended(2)
    /// `SQLITE_WARNING`
    public static let warning = ResultCode(rawValue: 28)
    /// `SQLITE_WARNING_AUTOINDEX`
    public static let warningAutomaticIndex = warning.extended(1)
    /// `SQLITE_ROW`
    public static let row = ResultCode(rawValue: 100)
    /// `SQLITE_DONE`
    public static let done = ResultCode(rawValue: 101)
}
