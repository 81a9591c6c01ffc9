import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Which functions the schema of a hardened connection can call, and how the hardening is undone.
struct HardenedFunctionTests {
    /// The ways to add a function.
    enum Way: CaseIterable {
        case typed, ofAnyValues, ofSQift5, byAnExtension
    }

    private let folder: TemporaryFolder
    private let file: StrangersFile

    init() throws {
        folder = try TemporaryFolder()
        file = try StrangersFile(folder.path())
    }

    private func open(
        _ location: StorageLocation? = nil,
        _ change: (inout Connection.Configuration) -> Void = { _ in }
    ) throws -> Connection {
        var configuration = Connection.Configuration()
        configuration.hardened = true
        change(&configuration)
        return try Connection(
            storageLocation: location ?? .onDisk(file.path),
            configuration: configuration
        )
    }

    private func addFunction(_ way: Way, to connection: Connection) throws {
        let calls = file.calls
        switch way {
        case .typed:
            try file.addFunction(to: connection)
        case .ofAnyValues:
            try connection.addFunction(named: "evil", deterministic: true) {
                (values: [BindingValue]) in
                calls.add(1)
                return values[0]
            }
        case .ofSQift5:
            try connection.addScalarFunction(
                named: "evil",
                argumentCount: 1,
                deterministic: true
            ) { _, _ in
                calls.add(1)
                return .null
            }
        case .byAnExtension:
            try connection.registerStaticExtension { handle, _, _ in
                let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
                return sqlite3_create_function_v2(
                    handle,
                    "evil",
                    1,
                    flags,
                    nil,
                    { context, _, _ in sqlite3_result_error(context, "it was called", -1) },
                    nil,
                    nil,
                    nil
                )
            }
        }
    }

    private func expectNothingCalled(
        on connection: Connection,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let messages = StrangersFile.messages { try connection.run($0) }
        #expect(messages.count == 5, "\(messages)", sourceLocation: sourceLocation)
        for message in messages {
            #expect(
                message.contains("unsafe use of evil()"),
                "\(message)",
                sourceLocation: sourceLocation
            )
        }
        #expect(file.calls.value == 0, sourceLocation: sourceLocation)
    }

    // MARK: Functions

    @Test(arguments: Way.allCases)
    func theSchemaCallsNoFunctionThatIsAddedBeforeTheFirstStatement(way: Way) throws {
        let connection = try open()
        try addFunction(way, to: connection)
        expectNothingCalled(on: connection)
    }

    @Test(.enabled(if: Capability.lateFunctions, "it can't read the schema again"))
    func theSchemaCallsNoFunctionThatIsAddedAfterAStatement() throws {
        for way in Way.allCases {
            for statement in [
                "SELECT 1 FROM sqlite_schema", "BEGIN; SELECT 1 FROM sqlite_schema",
                "SELECT a FROM triggering LIMIT 0",
            ] {
                let connection = try open()
                try connection.execute(statement)
                let prepared = try connection.prepare("SELECT a FROM triggering")

                try addFunction(way, to: connection)

                expectNothingCalled(on: connection)
                expectSQLiteError(containing: "unsafe use of evil()") { try prepared.run() }
            }
        }
        #expect(file.calls.value == 0)
    }

    @Test(.enabled(if: Capability.lateFunctions, "it can't read the schema again"))
    func theSchemaOfAnAttachedDatabaseCallsNoneEither() throws {
        let connection = try open(.inMemory)
        try connection.attachDatabase(from: .onDisk(file.path), withName: "other")
        try connection.run("SELECT 1 FROM other.sqlite_schema")
        try file.addFunction(to: connection)
        expectNothingCalled(on: connection)
    }

    @Test(.enabled(if: Capability.lateFunctions, "it can't read the schema again"))
    func theProgramsOwnSQLCallsALateFunctionAndKeepsWhatItHas() throws {
        let connection = try open(.inMemory)
        try connection.execute(
            """
            CREATE TEMP TABLE kept(a); INSERT INTO kept VALUES('in temp');
            CREATE TABLE t(a); INSERT INTO t VALUES('in main')
            """
        )
        let prepared = try connection.prepare("SELECT a FROM t")
        try file.addFunction(to: connection)
        #expect(try connection.query("SELECT evil(a) FROM t") as String? == "in main")
        #expect(try connection.query("SELECT evil(a) FROM kept") as String? == "in temp")
        #expect(try prepared.query() as String? == "in main")
    }

    @Test func noFunctionIsAddedInATransactionThatWrites() throws {
        let connection = try open(.inMemory)
        try connection.execute("CREATE TABLE t(a); BEGIN; INSERT INTO t VALUES(1)")
        expectSQLiteError(.misuse, containing: "hardened") { try file.addFunction(to: connection) }
        #expect(sqliteError { try connection.run("SELECT evil(a) FROM t") } != nil)
        try connection.execute("INSERT INTO t VALUES(2); COMMIT")
        #expect(try connection.query("SELECT count(*) FROM t") == 2)
    }

    @Test(.enabled(if: !Capability.lateFunctions, "it can read the schema again"))
    func whereTheSchemaIsNotReadAgainNoLateFunctionIsAdded() throws {
        let connection = try open()
        try connection.run("SELECT 1 FROM sqlite_schema")
        expectSQLiteError(.misuse, containing: "3.38") { try file.addFunction(to: connection) }
        #expect(StrangersFile.messages { try connection.run($0) }.count == 5)
        #expect(file.calls.value == 0)
    }

    @Test(arguments: [true, false]) func aSharedCacheIsRefused(byURI: Bool) {
        expectSQLiteError(containing: "private cache") {
            try byURI
                ? open(.uri("file:\(file.path)?cache=shared"))
                : open { $0.flags |= SQLITE_OPEN_SHAREDCACHE }
        }
    }

    @Test(.enabled(if: Connection.hasCompileOption("ENABLE_FTS3_TOKENIZER"), "it is switched off"))
    func noTokenizerIsRegisteredBySQL() throws {
        let sql = "SELECT fts3_tokenizer('mine', fts3_tokenizer('simple'))"
        #expect(sqliteError { try open(.inMemory).run(sql) } != nil)
        let registering = "SELECT fts3_tokenizer('mine', x'0011223344556677')"
        #expect(sqliteError { try open(.inMemory).run(registering) } != nil)
    }

    // MARK: Pragmas

    private static let undoing = [
        "PRAGMA trusted_schema = ON", "PRAGMA Trusted_Schema(1)", "PRAGMA cell_size_check = OFF",
        "PRAGMA main.cell_size_check = 0", "PRAGMA mmap_size = 1000000",
        "PRAGMA MAIN.MMAP_SIZE = 1",
    ]

    private func expectFixed(
        on connection: Connection,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for pragma in Self.undoing {
            let error = sqliteError(
                { try connection.execute(pragma) },
                sourceLocation: sourceLocation
            )
            #expect(error?.resultCode == .authorization, sourceLocation: sourceLocation)
        }
        let new = try open(.inMemory)
        let values: [Int?] = try [
            connection.query("PRAGMA trusted_schema"), connection.query("PRAGMA cell_size_check"),
            connection.query("PRAGMA mmap_size"),
        ]
        #expect(try values[0] == new.query("PRAGMA trusted_schema"), sourceLocation: sourceLocation)
        #expect(values[1...] == [1, 0], sourceLocation: sourceLocation)
    }

    @Test func thePragmasThatUndoItAreRefused() throws {
        try expectFixed(on: open(.onDisk(folder.path("own.sqlite"))))
    }

    @Test func theyAreRefusedBesideTheUsersAuthorizerAndAfterIt() throws {
        let connection = try open(.onDisk(folder.path("own.sqlite")))
        try connection.execute("CREATE TABLE t(a, b); INSERT INTO t VALUES(1, 2)")
        try connection.authorizer { action, _, column, _, _ in
            action == .read && column == "b" ? .deny : .ok
        }
        try expectFixed(on: connection)
        expectSQLiteError(containing: "t.b is prohibited") { try connection.run("SELECT b FROM t") }

        try connection.authorizer(nil)
        try expectFixed(on: connection)
        #expect(try connection.query("SELECT b FROM t") as Int? == 2)
    }

    @Test func theyAreRefusedInAMigrationToo() throws {
        let connection = try open(.onDisk(folder.path("own.sqlite")))
        let migrator = Migrator(
            connection: connection,
            migrations: [Migration("a") { try $0.run("PRAGMA trusted_schema = ON") }]
        )
        let error = migratorError(.failed) { try migrator.run() }
        #expect((error?.underlyingError as? SQLiteError)?.resultCode == .authorization)
        try expectFixed(on: connection)
    }

    @Test func anotherConnectionSetsThem() throws {
        let connection = try Connection(path: folder.path("own.sqlite"))
        for pragma in Self.undoing {
            try connection.execute(pragma)
        }
    }

    @Test(.enabled(if: Capability.lateFunctions, "it can't read the schema again"))
    func aRehearsalIsHardenedToo() throws {
        let path = folder.path("rehearsed.sqlite")
        let file = try StrangersFile(path, only: "CREATE TABLE checking(a CHECK(evil(a) NOTNULL))")
        let migrator = Migrator(
            connection: try open(.onDisk(path)),
            migrations: [Migration("a", sql: "INSERT INTO checking VALUES('a')")]
        )
        expectSQLiteError(containing: "unsafe use of evil()") {
            try migrator.rehearse { try file.addFunction(to: $0) }
        }
        #expect(file.calls.value == 0)
    }
}
