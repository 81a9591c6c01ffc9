import CSQift
import SQift
import SQiftTestSupport
import Testing

/// Which SQL came with which version of SQLite. The library in use is asked for what it has.
@Suite(.builtLint) struct LintNewerFeatureTests {
    /// A statement that needs a version of SQLite.
    struct Feature: CustomTestStringConvertible {
        /// What messages call it.
        let name: String
        /// The version's second number.
        let minor: Int
        let sql: String

        /// - Parameter text: Such as `39 RIGHT JOIN: SELECT * FROM cars RIGHT JOIN owners`.
        init(_ text: String) {
            let (head, sql) = text.halves(at: ": ")
            let (minor, name) = head.halves(at: " ")
            (self.name, self.minor, self.sql) = (name, Int(minor) ?? 0, sql)
        }

        var testDescription: String { sql }

        var phrase: String { "\(name) needs SQLite 3.\(minor)" }
    }

    /// Those that each SQLite of the version has.
    private static let features = """
        37 STRICT: CREATE TABLE parts(x INTEGER) STRICT
        37 STRICT: CREATE TABLE parts(x ANY PRIMARY KEY) WITHOUT ROWID, STRICT
        37 pragma_table_list(): SELECT name FROM pragma_table_list
        37 pragma_table_list(): SELECT name FROM pragma_table_list('cars')
        38 ->: SELECT options -> 0 FROM cars
        38 ->>: SELECT options ->> 0 FROM cars
        38 format(): SELECT format('%d', price) FROM cars
        38 subtype(): SELECT subtype(options) FROM cars
        38 unixepoch(): SELECT UNIXEPOCH('now')
        39 RIGHT JOIN: SELECT cars.id FROM owners RIGHT JOIN cars ON true
        39 RIGHT JOIN: SELECT cars.id FROM owners NATURAL RIGHT OUTER JOIN cars
        39 FULL JOIN: SELECT cars.id FROM owners FULL JOIN cars ON true
        39 FULL JOIN: SELECT cars.id FROM owners full outer join cars ON true
        39 IS DISTINCT FROM: SELECT 1 IS DISTINCT FROM 2
        39 IS DISTINCT FROM: SELECT 1 IS NOT DISTINCT FROM 2
        41 unhex(): SELECT unhex('41')
        42 json_error_position(): SELECT json_error_position(options) FROM cars
        43 octet_length(): SELECT octet_length(name) FROM cars
        43 timediff(): SELECT timediff('now', 'now')
        44 concat(): SELECT concat(name, price) FROM cars
        44 concat_ws(): SELECT concat_ws(', ', name, price) FROM cars
        44 string_agg(): SELECT string_agg(name, ', ') FROM cars
        44 ORDER BY in group_concat(): SELECT group_concat(name, ', ' ORDER BY price, id) FROM cars
        44 ORDER BY in json_group_array(): SELECT json_group_array(abs(id) ORDER BY id) FROM cars
        45 jsonb(): SELECT jsonb(options) FROM cars
        45 jsonb_array(): SELECT jsonb_array(1, 2)
        45 jsonb_extract(): SELECT jsonb_extract(options, '$[0]') FROM cars
        45 jsonb_group_array(): SELECT jsonb_group_array(name) FROM cars
        45 jsonb_group_object(): SELECT jsonb_group_object(name, price) FROM cars
        45 jsonb_insert(): SELECT jsonb_insert(options, '$[0]', 1) FROM cars
        45 jsonb_object(): SELECT jsonb_object('name', name) FROM cars
        45 jsonb_patch(): SELECT jsonb_patch(options, '{}') FROM cars
        45 jsonb_remove(): SELECT jsonb_remove(options, '$[0]') FROM cars
        45 jsonb_replace(): SELECT jsonb_replace(options, '$[0]', 1) FROM cars
        45 jsonb_set(): SELECT jsonb_set(options, '$[0]', 1) FROM cars
        45 json_valid() with 2 arguments: SELECT json_valid(options, 6) FROM cars
        46 json_pretty(): SELECT json_pretty(options) FROM cars
        46 1_000: SELECT name FROM cars WHERE price > 1_000
        47 an expression in RAISE(): CREATE TRIGGER t BEFORE DELETE ON cars \
        BEGIN SELECT RAISE(ABORT, 'id ' || old.id); END
        48 if(): SELECT if(price > 1, 'dear', 'cheap') FROM cars
        48 iif() with 2 arguments: SELECT iif(price > 1, 'dear') FROM cars
        49 iif() with 5 arguments: SELECT iif(price > 9, 'a', price > 1, 'b', 'c') FROM cars
        50 unistr(): SELECT unistr('\\0041')
        50 unistr_quote(): SELECT unistr_quote(name) FROM cars
        51 jsonb_each(): SELECT key FROM jsonb_each('[1]')
        51 jsonb_tree(): SELECT key FROM jsonb_tree WHERE json = '[1]'
        53 json_array_insert(): SELECT json_array_insert(options, '$[0]', 1) FROM cars
        53 jsonb_array_insert(): SELECT jsonb_array_insert(options, '$[0]', 1) FROM cars
        53 SET NOT NULL: ALTER TABLE wheels ALTER COLUMN size SET NOT NULL
        53 SET NOT NULL: ALTER TABLE wheels ALTER size SET NOT NULL ON CONFLICT IGNORE
        53 DROP NOT NULL: ALTER TABLE wheels ALTER COLUMN name DROP NOT NULL
        53 DROP NOT NULL: ALTER TABLE wheels ALTER name DROP NOT NULL
        53 ADD CHECK: ALTER TABLE wheels ADD CHECK (size > 1)
        53 ADD CONSTRAINT: ALTER TABLE wheels ADD CONSTRAINT q CHECK (size > 1)
        53 DROP CONSTRAINT: ALTER TABLE wheels DROP CONSTRAINT p
        """.cases.map { Feature($0) }

    /// Those that a build may leave out, or have from elsewhere.
    private static let options = """
        43 contentless_delete of FTS5: \
        CREATE VIRTUAL TABLE f USING fts5(x, content = '', contentless_delete = 1)
        45 tokendata of FTS5: CREATE VIRTUAL TABLE f USING fts5(x, tokendata = 1)
        47 contentless_unindexed of FTS5: \
        CREATE VIRTUAL TABLE f USING fts5(x, content = '', contentless_unindexed = 1)
        47 locale of FTS5: CREATE VIRTUAL TABLE f USING fts5(x, locale = 1)
        47 fts5_locale(): SELECT fts5_locale('en', name) FROM cars
        47 fts5_get_locale(): SELECT fts5_get_locale(name) FROM cars
        48 fts5_insttoken(): SELECT fts5_insttoken(name) FROM cars
        51 carray(): SELECT value FROM carray(?1)
        51 median(): SELECT median(price) FROM cars
        51 percentile(): SELECT percentile(price, 50) FROM cars
        51 percentile_cont(): SELECT percentile_cont(price, 0.5) FROM cars
        51 percentile_disc(): SELECT percentile_disc(price, 0.5) FROM cars
        """.cases.map { Feature($0) }

    /// One that is checked in a migration only, as what is about the connection is.
    private static let reindexing = Feature("53 REINDEX EXPRESSIONS: REINDEX EXPRESSIONS")

    /// The functions that SQLite 3.35 has of its own, those included that it is compiled with.
    private static let oldFunctions = """
        abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling changes char coalesce cos cosh
        count cume_dist current_date current_time current_timestamp date datetime degrees dense_rank
        exp first_value floor glob group_concat hex ifnull iif instr json json_array
        json_array_length json_extract json_group_array json_group_object json_insert json_object
        json_patch json_quote json_remove json_replace json_set json_type json_valid julianday lag
        last_insert_rowid last_value lead length like likelihood likely ln load_extension log log10
        log2 lower ltrim match max min mod nth_value ntile nullif percent_rank pi pow power printf
        quote radians random randomblob rank replace round row_number rtrim sign sin sinh soundex
        sqlite_compileoption_get sqlite_compileoption_used sqlite_log sqlite_offset sqlite_source_id
        sqlite_version sqrt strftime substr substring sum tan tanh time total total_changes trim
        trunc typeof unicode unlikely upper zeroblob
        """.split { $0.isWhitespace }.map(String.init)

    /// The second number of the version in use.
    private static let minor = Int(sqlite3_libversion_number()) / 1000 % 1000

    private static let tables = """
        CREATE TABLE owners(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE cars(
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, price INTEGER NOT NULL, options TEXT
        );
        CREATE TABLE wheels(
            name TEXT NOT NULL, size INTEGER, CONSTRAINT p CHECK (size > 0)
        );
        """

    /// Sources with a call for each statement, from the third line on.
    private static func sources(_ statements: [String]) throws -> LintSources {
        let calls = statements.map { "    try connection.prepare(#\"\($0)\"#)" }
        let use = """
            import SQift
            func use(_ connection: Connection) throws {
            \(calls.joined(separator: "\n"))
            }
            """
        return try LintSources(["Schema.sql": tables, "Use.swift": use])
    }

    /// Runs it, and gives the messages about each statement.
    private static func messages(
        about statements: [String],
        _ options: [String] = []
    ) throws -> [[LintMessage]] {
        let run = try sources(statements).run(options)
        return statements.indices.map { index in
            run.messages.filter { $0.line == index + 3 }
        }
    }

    private static func compiles(_ sql: String) -> Bool {
        let connection = try? Connection()
        try? connection?.execute(tables)
        return (try? connection?.prepare(sql)) != nil
    }

    @Test func theLibraryHasWhatItsVersionBrought() {
        for feature in Self.features + [Self.reindexing] {
            let isThere = feature.minor <= Self.minor
            #expect(Self.compiles(feature.sql) == isThere, "\(feature)")
        }
    }

    @Test func eachIsNewerThanTheOldest() throws {
        let features = Self.features + Self.options
        let found = try Self.messages(about: features.map(\.sql), ["--oldest", "3.35"])
        for (feature, messages) in zip(features, found) {
            let warnings = messages.filter { $0.severity == .warning }
            #expect(warnings.contains { $0.text == feature.phrase }, "\(feature): \(messages)")
        }
    }

    @Test func whatTheLibraryIsTooOldForIsNoError() throws {
        let features = Self.features + Self.options
        let found = try Self.messages(about: features.map(\.sql))
        for (feature, messages) in zip(features, found) {
            #expect(!messages.contains { $0.severity == .error }, "\(feature): \(messages)")
            if feature.minor <= Self.minor || Self.compiles(feature.sql) {
                #expect(!messages.contains { $0.text.contains("needs SQLite") }, "\(messages)")
            } else {
                let notes = messages.filter { $0.severity == .note }
                let isNamed = notes.contains { $0.text.hasSuffix("; \(feature.phrase)") }
                #expect(isNamed, "\(feature): \(messages)")
            }
        }
    }

    @Test(
        arguments: features.filter { $0.sql.hasPrefix("ALTER") } + [reindexing]
    )
    func aMigrationMayBeNewer(feature: Feature) throws {
        let migrations = """
            import SQift
            let migrations = [
                Migration("1", sql: "CREATE TABLE wheels(name, size, CONSTRAINT p CHECK (1))"),
                Migration("2", sql: "\(feature.sql)"),
            ]
            """
        let sources = try LintSources(["Migrations.swift": migrations])
        let old = try sources.run(["--oldest", "3.35"])
        #expect(old.warnings.map(\.text) == [feature.phrase])
        #expect(old.errors.isEmpty, "\(old.messages)")
        let run = try sources.run()
        #expect(run.messages.allSatisfy { $0.severity == .note }, "\(run.messages)")
        #expect(run.messages.count == (feature.minor <= Self.minor ? 0 : 1), "\(run.messages)")
        #expect(run.messages.allSatisfy { $0.text.hasSuffix("; \(feature.phrase)") })
    }

    @Test func eachNewerFunctionOfTheLibraryIsKnown() throws {
        let names: [String] = try Connection().query(
            """
            SELECT DISTINCT name FROM pragma_function_list
            WHERE builtin AND name GLOB '[a-z]*'
            """
        )
        let newer = names.filter { !Self.oldFunctions.contains($0) }
        let found = try Self.messages(
            about: newer.map { "SELECT \($0)(price) FROM cars" },
            ["--oldest", "3.35"]
        )
        for (name, messages) in zip(newer, found) {
            let isKnown = messages.contains { $0.text.hasPrefix("\(name)() needs SQLite 3.") }
            #expect(isKnown, "\(name)() isn't in the list: \(messages)")
        }
        #expect(newer.isEmpty == (Self.minor < 38))
    }

    @Test func whatLooksLikeItIsNotNewer() throws {
        let statements = """
            SELECT iif(price > 1, 'dear', 'cheap') FROM cars
            SELECT json_valid(options) FROM cars
            SELECT group_concat(name) OVER (PARTITION BY price ORDER BY id) FROM cars
            SELECT count(*) OVER w FROM cars WINDOW w AS (ORDER BY id)
            SELECT count(*) OVER (w ORDER BY id) FROM cars WINDOW w AS (PARTITION BY price)
            SELECT (SELECT name FROM cars ORDER BY price, id LIMIT 1)
            SELECT name FROM cars WHERE id IN (SELECT id FROM cars ORDER BY price LIMIT 3)
            WITH dear AS (SELECT name FROM cars ORDER BY price LIMIT 3) SELECT name FROM dear
            SELECT price AS strict, name FROM cars
            SELECT 1 IS NOT 2, 1 - 2 > 3
            SELECT 'a RIGHT JOIN b', "name" FROM cars -- unhex(x) ->
            SELECT cars.id FROM cars LEFT OUTER JOIN owners USING (name)
            SELECT :price_1, $price_2, ?1
            SELECT name AS format, id AS median FROM cars
            CREATE TABLE IF NOT EXISTS parts(a CHECK (a > 1), CONSTRAINT c UNIQUE (a))
            CREATE TRIGGER t BEFORE DELETE ON cars BEGIN SELECT RAISE(ABORT, 'no'); END
            ALTER TABLE wheels ADD COLUMN width INTEGER NOT NULL DEFAULT 1 CHECK (width > 0)
            ALTER TABLE wheels DROP COLUMN size
            UPDATE cars SET price = NOT NULL
            """.cases
        let found = try Self.messages(about: statements, ["--oldest", "3.35"])
        for (sql, messages) in zip(statements, found) {
            let newer = messages.filter { $0.text.contains("needs SQLite") }
            #expect(newer.isEmpty, "\(sql): \(newer)")
        }
    }

    @Test func namesOfTheAppAreNotNewer() throws {
        let use = """
            import SQift
            func use(_ connection: Connection) throws {
                try connection.addFunction(named: "median") { (price: Int) in price }
                try connection.prepare("SELECT median(id) FROM format")
                try connection.prepare("INSERT INTO format(id) VALUES(1)")
            }
            """
        let migrations = """
            import SQift
            let migrations = [Migration("1", sql: "CREATE TABLE format(id INTEGER PRIMARY KEY)")]
            """
        try LintSources(["Migrations.swift": migrations, "Use.swift": use])
            .expectClean(["--oldest", "3.35"])
    }
}

extension String {
    /// What is before the first of some separators, and what follows it.
    fileprivate func halves(at separator: String) -> (String, String) {
        let parts = components(separatedBy: separator)
        return (parts[0], parts.dropFirst().joined(separator: separator))
    }
}
