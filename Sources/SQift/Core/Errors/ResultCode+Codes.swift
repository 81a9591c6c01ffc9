// The names and the numbers are SQLite's own. Their meanings:
// https://sqlite.org/rescode.html#result_code_meanings
//
// The primary codes are complete. The extended ones are those that a program decides by.
extension ResultCode {
    /// `SQLITE_OK`
    public static let ok = ResultCode(0)
    /// `SQLITE_ERROR`
    public static let error = ResultCode(1)
    /// `SQLITE_ERROR_MISSING_COLLSEQ`
    public static let errorMissingCollatingSequence = ResultCode(257)
    /// `SQLITE_ERROR_SNAPSHOT`
    public static let errorSnapshot = ResultCode(769)
    /// `SQLITE_INTERNAL`
    public static let internalError = ResultCode(2)
    /// `SQLITE_PERM`
    public static let permission = ResultCode(3)
    /// `SQLITE_ABORT`
    public static let abort = ResultCode(4)
    /// `SQLITE_ABORT_ROLLBACK`
    public static let abortRollback = ResultCode(516)
    /// `SQLITE_BUSY`
    public static let busy = ResultCode(5)
    /// `SQLITE_BUSY_RECOVERY`
    public static let busyRecovery = ResultCode(261)
    /// `SQLITE_BUSY_SNAPSHOT`
    public static let busySnapshot = ResultCode(517)
    /// `SQLITE_BUSY_TIMEOUT`
    public static let busyTimeout = ResultCode(773)
    /// `SQLITE_LOCKED`
    public static let locked = ResultCode(6)
    /// `SQLITE_LOCKED_SHAREDCACHE`
    public static let lockedSharedCache = ResultCode(262)
    /// `SQLITE_LOCKED_VTAB`
    public static let lockedVirtualTable = ResultCode(518)
    /// `SQLITE_NOMEM`
    public static let noMemory = ResultCode(7)
    /// `SQLITE_READONLY`
    public static let readOnly = ResultCode(8)
    /// `SQLITE_READONLY_RECOVERY`
    public static let readOnlyRecovery = ResultCode(264)
    /// `SQLITE_READONLY_CANTLOCK`
    public static let readOnlyCantLock = ResultCode(520)
    /// `SQLITE_READONLY_ROLLBACK`
    public static let readOnlyRollback = ResultCode(776)
    /// `SQLITE_READONLY_DBMOVED`
    public static let readOnlyDatabaseMoved = ResultCode(1032)
    /// `SQLITE_READONLY_CANTINIT`
    public static let readOnlyCantInitialize = ResultCode(1288)
    /// `SQLITE_READONLY_DIRECTORY`
    public static let readOnlyDirectory = ResultCode(1544)
    /// `SQLITE_INTERRUPT`
    public static let interrupt = ResultCode(9)
    /// `SQLITE_IOERR`
    public static let ioError = ResultCode(10)
    /// `SQLITE_IOERR_FSYNC`
    public static let ioErrorFsync = ResultCode(1034)
    /// `SQLITE_CORRUPT`
    public static let corrupt = ResultCode(11)
    /// `SQLITE_NOTFOUND`
    public static let notFound = ResultCode(12)
    /// `SQLITE_FULL`
    public static let full = ResultCode(13)
    /// `SQLITE_CANTOPEN`
    public static let cantOpen = ResultCode(14)
    /// `SQLITE_CANTOPEN_NOTEMPDIR`
    public static let cantOpenNoTemporaryDirectory = ResultCode(270)
    /// `SQLITE_CANTOPEN_ISDIR`
    public static let cantOpenIsDirectory = ResultCode(526)
    /// `SQLITE_CANTOPEN_FULLPATH`
    public static let cantOpenFullPath = ResultCode(782)
    /// `SQLITE_CANTOPEN_CONVPATH`
    public static let cantOpenConvertPath = ResultCode(1038)
    /// `SQLITE_CANTOPEN_DIRTYWAL`
    public static let cantOpenDirtyWAL = ResultCode(1294)
    /// `SQLITE_CANTOPEN_SYMLINK`
    public static let cantOpenSymlink = ResultCode(1550)
    /// `SQLITE_PROTOCOL`
    public static let protocolError = ResultCode(15)
    /// `SQLITE_EMPTY`
    public static let empty = ResultCode(16)
    /// `SQLITE_SCHEMA`
    public static let schema = ResultCode(17)
    /// `SQLITE_TOOBIG`
    public static let tooBig = ResultCode(18)
    /// `SQLITE_CONSTRAINT`
    public static let constraint = ResultCode(19)
    /// `SQLITE_CONSTRAINT_CHECK`
    public static let constraintCheck = ResultCode(275)
    /// `SQLITE_CONSTRAINT_COMMITHOOK`
    public static let constraintCommitHook = ResultCode(531)
    /// `SQLITE_CONSTRAINT_FOREIGNKEY`
    public static let constraintForeignKey = ResultCode(787)
    /// `SQLITE_CONSTRAINT_FUNCTION`
    public static let constraintFunction = ResultCode(1043)
    /// `SQLITE_CONSTRAINT_NOTNULL`
    public static let constraintNotNull = ResultCode(1299)
    /// `SQLITE_CONSTRAINT_PRIMARYKEY`
    public static let constraintPrimaryKey = ResultCode(1555)
    /// `SQLITE_CONSTRAINT_TRIGGER`
    public static let constraintTrigger = ResultCode(1811)
    /// `SQLITE_CONSTRAINT_UNIQUE`
    public static let constraintUnique = ResultCode(2067)
    /// `SQLITE_CONSTRAINT_VTAB`
    public static let constraintVirtualTable = ResultCode(2323)
    /// `SQLITE_CONSTRAINT_ROWID`
    public static let constraintRowID = ResultCode(2579)
    /// `SQLITE_CONSTRAINT_PINNED`
    public static let constraintPinned = ResultCode(2835)
    /// `SQLITE_CONSTRAINT_DATATYPE`
    public static let constraintDataType = ResultCode(3091)
    /// `SQLITE_MISMATCH`
    public static let mismatch = ResultCode(20)
    /// `SQLITE_MISUSE`
    public static let misuse = ResultCode(21)
    /// `SQLITE_NOLFS`
    public static let noLargeFileSupport = ResultCode(22)
    /// `SQLITE_AUTH`
    public static let authorization = ResultCode(23)
    /// `SQLITE_FORMAT`
    public static let format = ResultCode(24)
    /// `SQLITE_RANGE`
    public static let range = ResultCode(25)
    /// `SQLITE_NOTADB`
    public static let notADatabase = ResultCode(26)
    /// `SQLITE_NOTICE`
    public static let notice = ResultCode(27)
    /// `SQLITE_WARNING`
    public static let warning = ResultCode(28)
    /// `SQLITE_ROW`
    public static let row = ResultCode(100)
    /// `SQLITE_DONE`
    public static let done = ResultCode(101)
}
