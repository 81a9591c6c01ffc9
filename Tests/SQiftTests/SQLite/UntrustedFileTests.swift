import SQift
import SQiftTestSupport
import Testing

/// The recipe of Docs/SQLite.md for files from strangers, where no handler can end SQLite's work.
struct UntrustedFileTests {
    private let folder = TemporaryFolder.fresh

    /// A file with this schema, opened as the guide says.
    private func open(_ schema: SQL) throws -> Connection {
        let path = folder.path("stranger.sqlite")
        try Connection(path: path).execute(schema)

        var configuration = Connection.Configuration()
        configuration.hardened = true
        configuration.readOnly = true
        let connection = try Connection(path: path, configuration: configuration)
        for name in ["printf", "format"] {
            try connection.addFunction(named: name) { (_: [BindingValue]) in "" }
        }
        let problems = try connection.quickCheck()
        guard problems.isEmpty else { throw SQLiteError(code: .corrupt, message: problems[0]) }
        let readOnly = Connection.readOnlyAuthorizer
        var viewCount = 0
        try connection.authorizer { action, first, second, database, view in
            guard action == .select else {
                return readOnly(action, first, second, database, view)
            }
            viewCount = view == nil ? 0 : viewCount + 1
            return viewCount > 100 ? .deny : .ok
        }
        return connection
    }

    /// Views of which each reads the one before twice.
    private func tree(_ depth: Int) -> SQL {
        (1...depth).reduce("CREATE VIEW v0 AS SELECT 1 AS x") {
            "\($0); CREATE VIEW v\($1) AS SELECT 1 AS x FROM v\($1 - 1) p, v\($1 - 1) q"
        }
    }

    @Test func aTreeOfViewsIsDenied() throws {
        let connection = try open(tree(10))
        expectSQLiteError(.authorization) {
            try connection.query("SELECT count(*) FROM v10") as Int
        }
    }

    /// The views of one statement don't count in the next.
    @Test func fewViewsAreRead() throws {
        let connection = try open(tree(4))
        for number in 0..<20 {
            let sql = "SELECT count(*) + \(number) FROM v4"
            #expect(try connection.query(sql) == 1 + number)
        }
    }

    @Test(arguments: [
        "CREATE VIEW v AS SELECT printf('%.*c', 250000000, 'x') AS x",
        "CREATE VIEW v AS SELECT length(Printf('%.*c', 250000000, 'x')) AS x",
        "CREATE VIEW v(x) AS SELECT format('%.*c', 250000000, 'x')",
    ])
    func aSchemaCallsNeitherPrintfNorFormat(schema: SQL) {
        expectSQLiteError { try open(schema).query("SELECT x FROM v") as Row? }
    }
}
