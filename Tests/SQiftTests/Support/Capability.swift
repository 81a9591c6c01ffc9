import SQift

/// What the SQLite in use can do. Versions and builds differ, so each is tried.
package enum Capability {
    /// `serialize` and `Connection(image:)`. A build may leave them out.
    package static let serialization = isGranted { _ = try Connection().serialize() }

    /// Databases in memory that connections share by name.
    package static let sharedMemory = isGranted {
        let location = StorageLocation.uri("file:/SQiftTests-capability?vfs=memdb")
        let connection = try Connection(storageLocation: location)
        try connection.execute("CREATE TABLE t(x)")
        try Connection(storageLocation: location).execute("INSERT INTO t VALUES(1)")
    }

    /// `STRICT` tables.
    package static let strictTables = isGranted {
        try Connection().execute("CREATE TABLE t(x INT) STRICT")
    }

    /// A text in double quotation marks in a schema: a build may take them all for names.
    package static let textInDoubleQuotes = isGranted {
        try Connection().execute("CREATE TABLE t(x CHECK(x <> \"text\"))")
    }

    /// SQL that begins with a byte order mark.
    package static let byteOrderMark = isGranted {
        _ = try Connection().prepare("\u{FEFF}SELECT 1")
    }

    /// Full-text search.
    package static let fts5 = isGranted {
        try Connection().execute("CREATE VIRTUAL TABLE f USING fts5(x)")
    }

    /// Virtual tables of three columns that write to tables of their own.
    package static let virtualTables = ["fts5", "fts4", "rtree"].map { "\($0)(a, b, c)" }.filter {
        module in
        isGranted { try Connection().execute("CREATE VIRTUAL TABLE v USING \(module)") }
    }

    /// The count of the rows that a `DELETE` without `WHERE` deletes from a table `WITHOUT ROWID`.
    package static let countsEmptiedTables: Bool = {
        let connection = try? Connection()
        let sql = "CREATE TABLE t(k PRIMARY KEY) WITHOUT ROWID; INSERT INTO t VALUES(1)"
        try? connection?.execute("\(sql); DELETE FROM t")
        return connection?.totalChanges == 2
    }()

    /// Errors with the offset of the bad token.
    package static let errorOffset: Bool = {
        do {
            try Connection().run("SELECT nonsense")
            return false
        } catch {
            return (error as? SQLiteError)?.offset != nil
        }
    }()

    /// Keys: an SQLite that encrypts.
    package static let encryption = !Connection.missingFeatures.contains { $0.hasPrefix("a key ") }

    /// A WAL that is gone when its last connection is closed. Apple's SQLite keeps it.
    package static let removesWAL: Bool = {
        let folder = try? TemporaryFolder()
        let connection = try? folder?.connection()
        try? connection?.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(x)")
        try? connection?.close()
        return (try? folder?.files()) == ["test.sqlite"]
    }()

    /// Functions that a hardened connection gets after it has read its schema.
    package static let lateFunctions = isGranted {
        var configuration = Connection.Configuration()
        configuration.hardened = true
        let connection = try Connection(storageLocation: .inMemory, configuration: configuration)
        try connection.execute("SELECT 1 FROM sqlite_schema")
        try connection.addFunction(named: "late") { (value: Int) in value }
    }

    /// The database, the table and the column that a result's column comes from.
    package static let columnMetadata = Connection.hasCompileOption("ENABLE_COLUMN_METADATA")

    /// Extensions in shared libraries.
    package static let loadsExtensions = !Connection.missingFeatures.contains {
        $0.hasPrefix("loadExtension")
    }

    private static func isGranted(_ trial: () throws -> Void) -> Bool {
        do {
            try trial()
            return true
        } catch {
            return false
        }
    }
}
