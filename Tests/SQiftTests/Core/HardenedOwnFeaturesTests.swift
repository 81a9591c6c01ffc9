import CSQift
import SQift
import SQiftTestSupport
import Testing

/// A hardened connection keeps the schema from the program's functions, not from SQLite's own.
struct HardenedOwnFeaturesTests {
    private func open(_ location: StorageLocation = .inMemory) throws -> Connection {
        var configuration = Connection.Configuration()
        configuration.hardened = true
        return try Connection(storageLocation: location, configuration: configuration)
    }

    /// Each schema is made and used, in the first connection and in one that finds it in the file.
    @Test(arguments: SchemaOfSQLitesOwn.all)
    func theSchemaUsesWhatIsSQLitesOwn(schema: SchemaOfSQLitesOwn) throws {
        let folder = try TemporaryFolder()
        let file = StorageLocation.onDisk(folder.path())
        for round in 1...2 {
            let connection = try open(file)
            if round == 1 {
                try connection.execute(schema.creation)
            }
            try connection.execute(schema.use)
            #expect(try connection.integrityCheck() == [])
        }
    }

    @Test(arguments: SchemaOfSQLitesOwn.all)
    func suchABackupIsRestored(schema: SchemaOfSQLitesOwn) async throws {
        let folder = try TemporaryFolder()
        let backup = folder.path("backup.sqlite")
        try Connection(path: backup).execute("\(schema.creation); \(schema.use)")
        var configuration = Database.Configuration()
        configuration.connection.hardened = true
        let database = try Database(path: folder.path(), configuration: configuration)
        if Capability.lateFunctions {
            database.prepareConnections { try $0.addFunction(named: "own") { (x: Int) in x } }
        }

        try await database.restore(from: backup)
        try await database.write { try $0.execute(schema.use) }
        try await database.close()
    }

    /// SQift makes its functions direct-only. Those that come in another way aren't.
    @Test func aFunctionThatComesThroughTheHandleIsNotCalledByTheSchema() throws {
        var configuration = Database.Configuration()
        configuration.connection.hardened = true
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.path(), configuration: configuration)
        database.prepareConnections { connection in
            let code = try connection.withUnsafeHandle { handle in
                sqlite3_create_function_v2(
                    handle,
                    "evil",
                    0,
                    SQLITE_UTF8,
                    nil,
                    { context, _, _ in sqlite3_result_error(context, "it was called", -1) },
                    nil,
                    nil,
                    nil
                )
            }
            #expect(code == SQLITE_OK)
        }
        try database.write { connection in
            try connection.execute("CREATE VIEW evil_view AS SELECT evil()")
            expectSQLiteError(containing: "unsafe use of evil()") {
                try connection.run("SELECT * FROM evil_view")
            }
            expectSQLiteError(containing: "it was called") { try connection.run("SELECT evil()") }
        }
    }

    @Test func theProgramsFunctionIsNotCalledWhateverTheSchemaMayUse() throws {
        let connection = try open()
        try connection.addFunction(named: "own", deterministic: true) { (x: Int) in x }
        try connection.execute("CREATE VIEW v AS SELECT own(1)")
        expectSQLiteError(containing: "unsafe use of own()") {
            try connection.run("SELECT * FROM v")
        }
        #expect(try connection.query("SELECT own(17)") == 17)
    }
}
