import SQift
import Testing

/// A sound schema that uses functions or virtual tables which SQLite brings along. Some versions
/// refuse them in a schema that isn't trusted.
package struct SchemaOfSQLitesOwn: CustomTestStringConvertible, Sendable {
    package let creation: SQL
    package let use: SQL

    package var testDescription: String { creation }

    package static let all = json + Capability.virtualTables.map(triggersAndView)

    private static let json: [Self] = {
        guard (try? Connection().run("SELECT json('{}')")) != nil else { return [] }
        let use = """
            INSERT INTO t(x) VALUES('{"a":1}'); UPDATE t SET x = '{"a":2}'; SELECT * FROM t
            """
        return [
            "CREATE TABLE t(x CHECK(json_valid(x)))",
            "CREATE TABLE t(x); CREATE INDEX i ON t(json_extract(x, '$.a'))",
            "CREATE TABLE t(x); CREATE INDEX i ON t(x) WHERE json_type(x) = 'object'",
            "CREATE TABLE t(x, a AS (json_extract(x, '$.a')))",
            "CREATE TABLE t(x, a AS (json_extract(x, '$.a')) STORED)",
            "CREATE TABLE t(x, y DEFAULT (json_array(1)))",
            """
            CREATE TABLE t(x); CREATE TABLE log(x);
            CREATE TRIGGER r AFTER INSERT ON t BEGIN
            INSERT INTO log VALUES(json_set(new.x, '$.b', 1)); END
            """,
        ].map { Self(creation: $0, use: use) } + [
            Self(
                creation: "CREATE TABLE t(x); CREATE VIEW v AS SELECT json_group_array(x) FROM t",
                use: "INSERT INTO t VALUES(1), (2); SELECT * FROM v"
            )
        ]
    }()

    /// A table that keeps a virtual one by triggers, and a view of that.
    private static func triggersAndView(module: String) -> Self {
        Self(
            creation: """
                CREATE TABLE t(x); CREATE VIRTUAL TABLE f USING \(module);
                CREATE TRIGGER r AFTER INSERT ON t BEGIN
                INSERT INTO f(rowid, b, c) VALUES(new.rowid, new.x, new.x); END;
                CREATE VIEW v AS SELECT b FROM f
                """,
            use: "INSERT INTO t VALUES(7); SELECT * FROM v"
        )
    }
}
