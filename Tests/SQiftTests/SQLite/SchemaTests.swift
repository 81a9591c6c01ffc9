import SQift
import SQiftTestSupport
import Testing

struct SchemaTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    private func names(_ columns: [Connection.TableColumn]) -> [String] {
        columns.map(\.name)
    }

    // MARK: Tables and views

    @Test func theTablesOfADatabaseAreListed() throws {
        let connection = try Connection()
        #expect(try connection.tables().isEmpty)
        try connection.execute(
            """
            CREATE TABLE zebras(id INTEGER PRIMARY KEY AUTOINCREMENT);
            CREATE TABLE "Ärzte und mehr"(id INTEGER);
            CREATE TABLE sqliteversions(id INTEGER);
            CREATE VIEW all_zebras AS SELECT * FROM zebras;
            CREATE TEMP TABLE drafts(id INTEGER);
            ATTACH ':memory:' AS "my archive";
            CREATE TABLE "my archive".old(id INTEGER)
            """
        )
        try connection.run("ANALYZE")
        // A connection for files from strangers may allow no patterns.
        try connection.setLimit(.likePatternLength, to: 0)
        #expect(try connection.tables() == ["sqliteversions", "zebras", "Ärzte und mehr"])
        #expect(try connection.tables(in: "temp") == ["drafts"])
        #expect(try connection.tables(in: "MY ARCHIVE") == ["old"])
        expectSQLiteError(containing: "nowhere") { _ = try connection.tables(in: "nowhere") }
        try connection.close()
        expectSQLiteError(.misuse) { _ = try connection.tables() }
    }

    @Test func tablesAndViewsAreToldApart() throws {
        try connection.execute(
            "CREATE TABLE t(x); CREATE VIEW v AS SELECT 1 AS x; CREATE TEMP TABLE u(x); CREATE TEMP VIEW w AS SELECT 1"
        )
        #expect(try connection.tableExists("t") && connection.tableExists("u"))
        #expect(try !connection.tableExists("v") && !connection.tableExists("w"))
        #expect(try connection.viewExists("v") && connection.viewExists("w"))
        #expect(try !connection.viewExists("t") && !connection.viewExists("u"))
        #expect(try !connection.tableExists("x") && !connection.viewExists("x"))
        #expect(
            try connection.tableExists("u", database: "temp")
                && connection.viewExists("w", database: "temp")
        )
        #expect(
            try !connection.tableExists("u", database: "main")
                && !connection.viewExists("w", database: "main")
        )
        #expect(
            try !connection.tableExists("t", database: "temp")
                && !connection.viewExists("v", database: "temp")
        )
    }

    @Test func indexesAndTriggersAreNeither() throws {
        try connection.execute(
            "CREATE TABLE t(x); CREATE INDEX i ON t(x); CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END"
        )
        for name in ["i", "r"] {
            #expect(try !connection.tableExists(name) && !connection.viewExists(name))
            expectSQLiteError(containing: name) { _ = try connection.columns(in: name) }
        }
    }

    @Test func onlyASCIILettersMatchInEitherCase() throws {
        try connection.execute("CREATE TABLE Straße(Ä); CREATE VIEW View AS SELECT 1")
        #expect(try connection.tableExists("STRAßE") && connection.viewExists("vIEW"))
        #expect(try !connection.tableExists("STRASSE") && !connection.tableExists("straẞe"))
        #expect(try connection.tableExists("straße", database: "MAIN"))
        #expect(try names(connection.columns(in: "STRAßE", database: "Main")) == ["Ä"])
    }

    @Test func anUnqualifiedNameMeansWhatItMeansInSQL() throws {
        for name in ["second", "first"] {
            try connection.attachDatabase(from: .inMemory, withName: name)
        }
        try connection.execute(
            "CREATE TABLE first.t(f PRIMARY KEY); CREATE TABLE second.t(s PRIMARY KEY)"
        )
        for expected in ["s", "m", "e"] {
            if expected == "m" {
                try connection.execute("CREATE TABLE main.t(m PRIMARY KEY)")
            }
            if expected == "e" {
                try connection.execute("CREATE TEMP TABLE t(e PRIMARY KEY)")
            }
            #expect(try names(connection.columns(in: "t")) == [expected])
            #expect(try connection.primaryKey(of: "t") == [expected])
            #expect(try connection.indexes(on: "t").map { $0.columns.map(\.name) } == [[expected]])
            #expect(try connection.prepare("SELECT * FROM t").columnNames == [expected])
        }
        for (database, expected) in [("temp", "e"), ("main", "m"), ("first", "f"), ("second", "s")]
        {
            #expect(try connection.primaryKey(of: "t", database: database) == [expected])
            #expect(
                try connection.indexes(on: "t", database: database).map { $0.columns.map(\.name) }
                    == [[expected]]
            )
        }
    }

    @Test(arguments: [
        "a b", "it's", "\"", "日本😀", "select", "x'; DROP TABLE t; --", "\"; DROP TABLE t; --", "[x]",
        "%",
    ])
    func anyNameWorks(name: String) throws {
        let quoted = name.sqift.quotedIdentifier
        try connection.execute("CREATE TABLE t(x)")
        try connection.attachDatabase(from: .inMemory, withName: name)
        try connection.execute(
            """
            CREATE TABLE \(quoted).\(quoted)(\(quoted) PRIMARY KEY REFERENCES \(quoted)(\(quoted)));
            CREATE INDEX \(quoted).\("i\(name)".sqift.quotedIdentifier) ON \(quoted)(\(quoted));
            CREATE VIEW \(quoted).\("v\(name)".sqift.quotedIdentifier) AS SELECT * FROM \(quoted);
            CREATE TRIGGER \(quoted).\("r\(name)".sqift.quotedIdentifier) AFTER INSERT ON \(quoted) BEGIN SELECT 1; END;
            """
        )
        for database in [name, nil] {
            #expect(try connection.tableExists(name, database: database))
            #expect(try connection.viewExists("v\(name)", database: database))
            #expect(try names(connection.columns(in: name, database: database)) == [name])
            #expect(try names(connection.columns(in: "v\(name)", database: database)) == [name])
            #expect(try connection.primaryKey(of: name, database: database) == [name])
            let index = try connection.indexes(on: name, database: database).first {
                $0.origin == .createIndex
            }
            #expect(index?.name == "i\(name)" && index?.columns.map(\.name) == [name])
            let key = try connection.foreignKeys(of: name, database: database).first
            #expect(
                key?.parentTable == name && key?.columns == [name] && key?.parentColumns == [name]
            )
            #expect(
                try connection.triggers(on: name, database: database).map(\.name) == ["r\(name)"]
            )
        }
        #expect(try !connection.tableExists(name, database: "main"))
        #expect(try connection.tableExists("t", database: "main"))
    }

    @Test func whatIsMissingThrowsAndIsNamed() throws {
        try connection.execute("CREATE TABLE t(x)")
        for (table, database) in [
            ("missing", nil), ("missing", "main"), ("t", "temp"), ("t\0", nil),
        ] as [(_, String?)] {
            for error in [
                sqliteError { _ = try connection.columns(in: table, database: database) },
                sqliteError { _ = try connection.primaryKey(of: table, database: database) },
                sqliteError { _ = try connection.indexes(on: table, database: database) },
                sqliteError { _ = try connection.foreignKeys(of: table, database: database) },
                sqliteError { _ = try connection.triggers(on: table, database: database) },
            ] {
                #expect(error?.message.contains(table) == true)
                #expect(database.map { error?.message.contains($0) == true } != false)
            }
        }
    }

    @Test(arguments: ["nowhere", "", "a\"b", "main\0"])
    func anUnknownDatabaseThrows(database: String) throws {
        try connection.execute("CREATE TABLE t(x)")
        for error in [
            sqliteError { _ = try connection.tableExists("t", database: database) },
            sqliteError { _ = try connection.viewExists("t", database: database) },
            sqliteError { _ = try connection.columns(in: "t", database: database) },
            sqliteError { _ = try connection.primaryKey(of: "t", database: database) },
            sqliteError { _ = try connection.indexes(on: "t", database: database) },
            sqliteError { _ = try connection.foreignKeys(of: "t", database: database) },
            sqliteError { _ = try connection.triggers(on: "t", database: database) },
        ] {
            #expect(
                error?.description.contains(database.replacing("\"", with: "").first ?? "n") == true
            )
        }
    }

    // MARK: Columns

    @Test func aColumnHasWhatItsDeclarationSays() throws {
        try connection.execute(
            """
            CREATE TABLE t(
                id INTEGER PRIMARY KEY, name VARCHAR(10) NOT NULL, untyped, a TEXT DEFAULT 'it''s', b DEFAULT -1.5,
                c DEFAULT (1 + 1), d DEFAULT CURRENT_TIMESTAMP, e DEFAULT NULL, f BLOB NOT NULL DEFAULT x'00'
            )
            """
        )
        let columns = try connection.columns(in: "t")
        #expect(names(columns) == ["id", "name", "untyped", "a", "b", "c", "d", "e", "f"])
        #expect(
            columns.map(\.declaredType) == [
                "INTEGER", "VARCHAR(10)", "", "TEXT", "", "", "", "", "BLOB",
            ]
        )
        #expect(
            columns.map(\.isNotNull) == [
                false, true, false, false, false, false, false, false, true,
            ]
        )
        let defaults = [
            nil, nil, nil, "'it''s'", "-1.5", "1 + 1", "CURRENT_TIMESTAMP", "NULL", "x'00'",
        ]
        #expect(columns.map(\.defaultValue) == defaults)
        #expect(columns.map(\.primaryKeyPosition) == [1, nil, nil, nil, nil, nil, nil, nil, nil])
        #expect(columns.allSatisfy { $0.kind == .ordinary })
    }

    @Test func generatedColumnsSayHow() throws {
        try connection.execute(
            """
            CREATE TABLE t(a INT, v INT AS (a + 1), b TEXT, s AS (a + 2) STORED NOT NULL);
            CREATE TABLE u(a, v GENERATED ALWAYS AS (a + 1))
            """
        )
        let columns = try connection.columns(in: "t")
        #expect(names(columns) == ["a", "v", "b", "s"])
        #expect(columns.map(\.kind) == [.ordinary, .virtualGenerated, .ordinary, .storedGenerated])
        #expect(columns.map(\.isNotNull) == [false, false, false, true])
        #expect(columns.map(\.declaredType) == ["INT", "INT", "TEXT", ""])
        #expect(try connection.columns(in: "u").map(\.kind) == [.ordinary, .virtualGenerated])
    }

    @Test(.enabled(if: Connection.hasCompileOption("ENABLE_FTS5"), "SQLite was built without FTS5"))
    func aVirtualTableIsATableWithHiddenColumns() throws {
        try connection.execute("CREATE VIRTUAL TABLE docs USING fts5(title, body)")
        #expect(try connection.tableExists("docs") && !connection.viewExists("docs"))
        #expect(try connection.tableExists("docs_data"))
        let columns = try connection.columns(in: "docs")
        #expect(names(columns) == ["title", "body", "docs", "rank"])
        #expect(columns.map(\.kind) == [.ordinary, .ordinary, .hidden, .hidden])
        #expect(try connection.primaryKey(of: "docs") == [])
        #expect(try connection.indexes(on: "docs") == [])
        #expect(try connection.foreignKeys(of: "docs") == [])
        #expect(try connection.triggers(on: "docs") == [])
    }

    @Test(
        .enabled(
            if: Connection.hasCompileOption("ENABLE_RTREE"),
            "SQLite was built without R-trees"
        )
    )
    func anRTreeIsATable() throws {
        try connection.execute("CREATE VIRTUAL TABLE r USING rtree(id, low, high, +extra)")
        #expect(try connection.tableExists("r"))
        #expect(try names(connection.columns(in: "r")) == ["id", "low", "high", "extra"])
    }

    @Test func aViewHasColumnsAndNothingElse() throws {
        try connection.execute(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT); CREATE VIEW v(a, \"b c\") AS SELECT x, id + 1 FROM t"
        )
        let columns = try connection.columns(in: "v")
        #expect(names(columns) == ["a", "b c"])
        #expect(columns.map(\.declaredType) == ["TEXT", ""])
        #expect(try connection.primaryKey(of: "v") == [])
        #expect(try connection.indexes(on: "v") == [])
        #expect(try connection.foreignKeys(of: "v") == [])
    }

    @Test func aViewWhoseTableIsGoneThrows() throws {
        try connection.execute("CREATE TABLE t(x); CREATE VIEW v AS SELECT x FROM t; DROP TABLE t")
        #expect(try connection.viewExists("v"))
        expectSQLiteError { _ = try connection.columns(in: "v") }
    }

    @Test func aPrimaryKeyIsInTheKeysOrder() throws {
        try connection.execute(
            """
            CREATE TABLE none(a, b);
            CREATE TABLE rowid(a, b INTEGER PRIMARY KEY);
            CREATE TABLE composite(a, b, c, PRIMARY KEY(c, a));
            CREATE TABLE without(a, b, c, PRIMARY KEY(c DESC, b)) WITHOUT ROWID;
            """
        )
        let keys = try ["none", "rowid", "composite", "without"].map {
            try connection.primaryKey(of: $0)
        }
        #expect(keys == [[], ["b"], ["c", "a"], ["c", "b"]])
        #expect(try connection.columns(in: "composite").map(\.primaryKeyPosition) == [2, nil, 1])
    }

    @Test func objectsNamedLikePragmasDoNotMisleadTheQuestions() throws {
        let connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE parents(id INTEGER PRIMARY KEY);
            CREATE TABLE children(parent INTEGER REFERENCES parents, name TEXT UNIQUE);
            INSERT INTO children VALUES(1, 'a');
            CREATE VIEW pragma_database_list AS SELECT 1 AS seq, 'temp' AS name, '' AS file;
            CREATE TABLE pragma_table_xinfo(x); CREATE TABLE pragma_index_list(x); CREATE TABLE pragma_index_xinfo(x);
            CREATE TABLE pragma_foreign_key_list(x); CREATE TABLE pragma_foreign_key_check(x)
            """
        )
        #expect(try connection.tableExists("children"))
        #expect(try connection.columns(in: "children").map(\.name) == ["parent", "name"])
        #expect(try connection.indexes(on: "children").map { $0.columns.map(\.name) } == [["name"]])
        #expect(try connection.foreignKeys(of: "children").map(\.parentTable) == ["parents"])
        #expect(try connection.foreignKeyViolations().map(\.columns) == [["parent"]])
    }
}
