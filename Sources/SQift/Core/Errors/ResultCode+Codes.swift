// The names and the numbers are SQLite's own. Their meanings:
// https://sqlite.org/rescode.html#result_code_meanings
//
// The primary codes are complete. The extended ones are those that a program decides by.
extension ResultCode {
    /// `SQLITE_OK`: there was no error.
    public static let ok = ResultCode(0)
    /// `SQLITE_ERROR`: a mistake in the SQL, or another error without a code of its own.
    public static let error = ResultCode(1)
    /// `SQLITE_ERROR_MISSING_COLLSEQ`: no collation has the name that the SQL uses.
    public static let errorMissingCollatingSequence = ResultCode(257)
    /// `SQLITE_ERROR_SNAPSHOT`: a historical snapshot is no longer there.
    public static let errorSnapshot = ResultCode(769)
    /// `SQLITE_INTERNAL`: a fault in SQLite itself.
    public static let internalError = ResultCode(2)
    /// `SQLITE_PERM`: the access that was asked for couldn't be given.
    public static let permission = ResultCode(3)
    /// `SQLITE_ABORT`: a callback asked for an end, or a blob has expired.
    public static let abort = ResultCode(4)
    /// `SQLITE_ABORT_ROLLBACK`: the transaction was rolled back while the statement ran.
    public static let abortRollback = ResultCode(516)
    /// `SQLITE_BUSY`: another connection holds a lock, and the busy timeout is over.
    public static let busy = ResultCode(5)
    /// `SQLITE_BUSY_RECOVERY`: another process is recovering the WAL after a crash.
    public static let busyRecovery = ResultCode(261)
    /// `SQLITE_BUSY_SNAPSHOT`: a write after a read, if others have written between.
    public static let busySnapshot = ResultCode(517)
    /// `SQLITE_BUSY_TIMEOUT`: a blocking request for a lock in the file system has timed out.
    public static let busyTimeout = ResultCode(773)
    /// `SQLITE_LOCKED`: this connection, or one with the same cache, uses what the statement needs.
    public static let locked = ResultCode(6)
    /// `SQLITE_LOCKED_SHAREDCACHE`: another connection with the same cache holds a table lock.
    public static let lockedSharedCache = ResultCode(262)
    /// `SQLITE_LOCKED_VTAB`: a virtual table is locked.
    public static let lockedVirtualTable = ResultCode(518)
    /// `SQLITE_NOMEM`: there is no memory.
    public static let noMemory = ResultCode(7)
    /// `SQLITE_READONLY`: a write to a database that can only be read.
    public static let readOnly = ResultCode(8)
    /// `SQLITE_READONLY_RECOVERY`: the WAL must be recovered, which only a writer can do.
    public static let readOnlyRecovery = ResultCode(264)
    /// `SQLITE_READONLY_CANTLOCK`: the WAL's shared memory can't be locked by a reader.
    public static let readOnlyCantLock = ResultCode(520)
    /// `SQLITE_READONLY_ROLLBACK`: a crash has left a journal, and only a writer can roll it back.
    public static let readOnlyRollback = ResultCode(776)
    /// `SQLITE_READONLY_DBMOVED`: the file was moved or deleted since it was opened.
    public static let readOnlyDatabaseMoved = ResultCode(1032)
    /// `SQLITE_READONLY_CANTINIT`: the WAL's shared memory can't be made by a reader.
    public static let readOnlyCantInitialize = ResultCode(1288)
    /// `SQLITE_READONLY_DIRECTORY`: the journal can't be made in a folder that can only be read.
    public static let readOnlyDirectory = ResultCode(1544)
    /// `SQLITE_INTERRUPT`: the statement was interrupted, or its progress handler ended it.
    public static let interrupt = ResultCode(9)
    /// `SQLITE_IOERR`: the operating system reported an error of input or output.
    public static let ioError = ResultCode(10)
    /// `SQLITE_IOERR_FSYNC`: the disk failed to make written data durable.
    public static let ioErrorFsync = ResultCode(1034)
    /// `SQLITE_CORRUPT`: the database is damaged.
    public static let corrupt = ResultCode(11)
    /// `SQLITE_NOTFOUND`: a file control that the VFS doesn't know; also used inside SQLite.
    public static let notFound = ResultCode(12)
    /// `SQLITE_FULL`: the disk is full, or the database has its largest size.
    public static let full = ResultCode(13)
    /// `SQLITE_CANTOPEN`: a file can't be opened.
    public static let cantOpen = ResultCode(14)
    /// `SQLITE_CANTOPEN_NOTEMPDIR`: no longer used by SQLite.
    public static let cantOpenNoTemporaryDirectory = ResultCode(270)
    /// `SQLITE_CANTOPEN_ISDIR`: the path is that of a folder.
    public static let cantOpenIsDirectory = ResultCode(526)
    /// `SQLITE_CANTOPEN_FULLPATH`: the full path can't be found out.
    public static let cantOpenFullPath = ResultCode(782)
    /// `SQLITE_CANTOPEN_CONVPATH`: Cygwin can't convert the path.
    public static let cantOpenConvertPath = ResultCode(1038)
    /// `SQLITE_CANTOPEN_DIRTYWAL`: not used by SQLite at present.
    public static let cantOpenDirtyWAL = ResultCode(1294)
    /// `SQLITE_CANTOPEN_SYMLINK`: the path is a symbolic link, and the flags forbid those.
    public static let cantOpenSymlink = ResultCode(1550)
    /// `SQLITE_PROTOCOL`: the locks of the WAL were contended too long.
    public static let protocolError = ResultCode(15)
    /// `SQLITE_EMPTY`: not used by SQLite at present.
    public static let empty = ResultCode(16)
    /// `SQLITE_SCHEMA`: the schema has changed, and compiling the statement again didn't help.
    public static let schema = ResultCode(17)
    /// `SQLITE_TOOBIG`: a string, a blob or the SQL is larger than its limit.
    public static let tooBig = ResultCode(18)
    /// `SQLITE_CONSTRAINT`: a constraint refuses the change; the extended code says of which kind.
    public static let constraint = ResultCode(19)
    /// `SQLITE_CONSTRAINT_CHECK`: a CHECK constraint failed.
    public static let constraintCheck = ResultCode(275)
    /// `SQLITE_CONSTRAINT_COMMITHOOK`: the commit hook turned the commit into a rollback.
    public static let constraintCommitHook = ResultCode(531)
    /// `SQLITE_CONSTRAINT_FOREIGNKEY`: a foreign key has no parent.
    public static let constraintForeignKey = ResultCode(787)
    /// `SQLITE_CONSTRAINT_FUNCTION`: an extension function reported a constraint.
    public static let constraintFunction = ResultCode(1043)
    /// `SQLITE_CONSTRAINT_NOTNULL`: a NOT NULL column would become NULL.
    public static let constraintNotNull = ResultCode(1299)
    /// `SQLITE_CONSTRAINT_PRIMARYKEY`: a primary key exists already.
    public static let constraintPrimaryKey = ResultCode(1555)
    /// `SQLITE_CONSTRAINT_TRIGGER`: a trigger raised an error.
    public static let constraintTrigger = ResultCode(1811)
    /// `SQLITE_CONSTRAINT_UNIQUE`: a UNIQUE constraint failed.
    public static let constraintUnique = ResultCode(2067)
    /// `SQLITE_CONSTRAINT_VTAB`: a virtual table reported a constraint.
    public static let constraintVirtualTable = ResultCode(2323)
    /// `SQLITE_CONSTRAINT_ROWID`: a rowid exists already.
    public static let constraintRowID = ResultCode(2579)
    /// `SQLITE_CONSTRAINT_PINNED`: an update trigger tried to delete the row that is being updated.
    public static let constraintPinned = ResultCode(2835)
    /// `SQLITE_CONSTRAINT_DATATYPE`: a value doesn't fit its column in a STRICT table.
    public static let constraintDataType = ResultCode(3091)
    /// `SQLITE_MISMATCH`: a value isn't an integer where a rowid must be one.
    public static let mismatch = ResultCode(20)
    /// `SQLITE_MISUSE`: a call that the API forbids, such as using a closed connection.
    public static let misuse = ResultCode(21)
    /// `SQLITE_NOLFS`: the system has no large files, and the database needs one.
    public static let noLargeFileSupport = ResultCode(22)
    /// `SQLITE_AUTH`: the authorizer refused the statement.
    public static let authorization = ResultCode(23)
    /// `SQLITE_FORMAT`: not used by SQLite at present.
    public static let format = ResultCode(24)
    /// `SQLITE_RANGE`: a number of a parameter or a column, or a range of bytes, that isn't there.
    public static let range = ResultCode(25)
    /// `SQLITE_NOTADB`: the file is no database, or its key is wrong.
    public static let notADatabase = ResultCode(26)
    /// `SQLITE_NOTICE`: a message of the log, no error.
    public static let notice = ResultCode(27)
    /// `SQLITE_WARNING`: a warning of the log, no error.
    public static let warning = ResultCode(28)
    /// `SQLITE_ROW`: a step has come to a row.
    public static let row = ResultCode(100)
    /// `SQLITE_DONE`: a step has come to the end of the statement.
    public static let done = ResultCode(101)
}
