internal import CSQift

extension Connection {
    /// The pragmas that would undo a part of it.
    private static let fixedPragmas = ["trusted_schema", "cell_size_check", "mmap_size"]

    /// Switches off what a malicious file could use, as `Configuration.hardened` describes.
    ///
    /// SQLite: [Defense Against The Dark Arts](https://sqlite.org/security.html)
    func harden() throws {
        // The connections of a shared cache share the schema as one of them has read it, with the
        // functions that this one knows.
        guard !opening.sharesCache else { throw hardeningError("a private cache") }
        let switches = [
            (SQLITE_DBCONFIG_DEFENSIVE, Int32(1), "defensive"),
            (SQLITE_DBCONFIG_TRUSTED_SCHEMA, Self.refusesItsOwn ? 1 : 0, "trusted_schema"),
            (SQLITE_DBCONFIG_DQS_DML, 0, "dqs_dml"),
            (SQLITE_DBCONFIG_DQS_DDL, 0, "dqs_ddl"),
            (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, "load_extension"),
            (SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, "fts3_tokenizer"),
        ]
        for (operation, value, name) in switches {
            let isSet = dbConfig(operation, to: value) == value
            // Apple's SQLite can't load extensions, and may not have the switch either.
            let isNeedless =
                operation == SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION && !Self.canLoadExtensions
            guard isSet || isNeedless else { throw hardeningError(name) }
        }
        try execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
        guard try pragmaValue("cell_size_check") == 1 else {
            throw hardeningError("cell_size_check")
        }
        sqlite3_set_authorizer(
            handle,
            { _, action, name, value, _, _ in
                Connection.undoesHardening(action, name, value) ? SQLITE_DENY : SQLITE_OK
            },
            nil
        )
    }

    /// Whether this SQLite refuses functions and virtual tables of its own in a schema that isn't
    /// trusted, as older versions do: JSON in a CHECK, a view on FTS5. Such a schema is sound, so a
    /// hardened connection trusts it, and its functions are direct-only instead.
    static let refusesItsOwn: Bool = {
        let view = "CREATE VIEW v AS SELECT * FROM t; SELECT * FROM v"
        let uses = [
            "CREATE TABLE t(x CHECK(json_valid(x)))",
            "CREATE VIRTUAL TABLE t USING fts5(x); \(view)",
            "CREATE VIRTUAL TABLE t USING fts4(x); \(view)",
            "CREATE VIRTUAL TABLE t USING rtree(x, a, b); \(view)",
        ]
        return uses.contains { sql in
            let model = try? Connection(storageLocation: .inMemory, configuration: .init())
            do {
                try model?.execute("PRAGMA trusted_schema = OFF; \(sql)")
                return false
            } catch {
                return "\(error)".contains("unsafe use of")
            }
        }
    }()

    /// Trusts the schema no more if there are functions that it could call: those that came through
    /// the handle, or with an extension, and are neither innocuous nor direct-only.
    func distrustSchemaWithOthersFunctions() {
        guard isHardened, dbConfig(SQLITE_DBCONFIG_TRUSTED_SCHEMA) == 1 else { return }
        let count = try? countOfFunctionsForSchema()
        if count ?? .max > Self.initialFunctionCount {
            dbConfig(SQLITE_DBCONFIG_TRUSTED_SCHEMA, to: 0)
            // The question has read the schema with the functions in it.
            try? forgetUntrustedSchema()
        }
    }

    /// Makes a hardened connection read the schema again. SQLite refuses a call in the schema only
    /// if it knows the function when it reads that.
    ///
    /// SQLite: [PRAGMA writable_schema](https://sqlite.org/pragma.html#pragma_writable_schema)
    func forgetUntrustedSchema() throws {
        guard isHardened else { return }
        // What is being written may depend on the schema: FTS5 would damage its table.
        if sqift_txn_state(handle, nil) != SQLITE_TXN_WRITE {
            _ = runShielded("PRAGMA writable_schema = RESET")
        }
        var size: Int32 = 0
        var highest: Int32 = 0
        sqlite3_db_status(handle, SQLITE_DBSTATUS_SCHEMA_USED, &size, &highest, 0)
        guard size == 0 else {
            throw misuse(
                """
                a hardened connection takes no function in a transaction that writes, and, with \
                an SQLite older than 3.38, after its first statement
                """
            )
        }
    }

    /// Lets SQL make tables with names that only SQLite itself may give.
    func allowSystemTables() {
        dbConfig(SQLITE_DBCONFIG_DEFENSIVE, to: 0)
    }

    /// How many of them a new connection has: a few come with SQLite's virtual tables.
    private static let initialFunctionCount =
        (try? Connection(storageLocation: .inMemory, configuration: .init())
            .countOfFunctionsForSchema()) ?? 0

    /// How many functions that aren't SQLite's own a trusted schema may call.
    ///
    /// SQLite: [PRAGMA function_list](https://sqlite.org/pragma.html#pragma_function_list)
    private func countOfFunctionsForSchema() throws -> Int32 {
        let harmless = SQLITE_INNOCUOUS | SQLITE_DIRECTONLY
        return try number(
            """
            SELECT count(*) FROM pragma_function_list
            WHERE NOT builtin AND flags & \(harmless) = 0
            """
        )
    }

    /// Sets one of SQLite's own switches; -1 leaves it. Returns its value, or -1 if SQLite doesn't
    /// have it, or the connection has no handle.
    ///
    /// SQLite: [Database Connection Configuration
    /// Options](https://sqlite.org/c3ref/c_dbconfig_defensive.html)
    @discardableResult func dbConfig(_ operation: Int32, to value: Int32 = -1) -> Int32 {
        var now: Int32 = -1
        if let handle {
            sqift_db_switch(handle, operation, value, &now)
        }
        return now
    }

    /// Whether this SQLite was built with the loading of extensions.
    static var canLoadExtensions: Bool {
        sqift_find_load_extension() != nil && !hasCompileOption("OMIT_LOAD_EXTENSION")
    }

    private func hardeningError(_ name: String) -> SQLiteError {
        SQLiteError(code: .error, message: "\(name) can't be set, as hardened asks for")
    }

    /// Whether an action that an authorizer is asked about sets a pragma that is fixed.
    static func undoesHardening(
        _ action: Int32,
        _ name: UnsafePointer<CChar>?,
        _ value: UnsafePointer<CChar>?
    ) -> Bool {
        action == SQLITE_PRAGMA && value != nil
            && fixedPragmas.contains { sqlite3_stricmp(name, $0) == 0 }
    }
}
