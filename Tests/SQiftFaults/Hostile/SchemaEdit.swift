import Foundation
import SQift

/// A change of the text or of the numbers in `sqlite_schema`, as only somebody who forges a file
/// makes them.
struct SchemaEdit {
    let sql: String

    /// What the edits put in the place of some element's SQL.
    private static let texts = [
        "CREATE VIEW vw AS SELECT * FROM vw",
        "CREATE VIEW vw AS SELECT a, b, c FROM (SELECT * FROM t, t, t, t)",
        "CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO t(b) VALUES(1); END",
        "CREATE TRIGGER tr BEFORE INSERT ON t BEGIN DELETE FROM t; DELETE FROM sqlite_schema; END",
        "CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT load_extension('x'), randomblob(9); END",
        "CREATE TABLE t(a, b AS (c), c AS (b))",
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b CHECK(load_extension(b)), c, d, e)",
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b DEFAULT (fts3_tokenizer('x')), c, d, e)",
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c, d, e) WITHOUT ROWID",
        "CREATE TABLE t(a INTEGER PRIMARY KEY, a, a, a, a)",
        "CREATE TABLE t(\"\", b, c, d, e REFERENCES t(t) ON DELETE CASCADE)",
        "CREATE TABLE t(a, b, c, d, e, f, g, h NOT NULL DEFAULT NULL, i COLLATE nothing)",
        "CREATE TABLE t(a)",
        "CREATE TABLE sqlite_sequence(a, b, c)",
        "CREATE VIRTUAL TABLE t USING nothing(x)",
        "CREATE VIRTUAL TABLE t USING fts5(body, content='t', content_rowid='a')",
        "CREATE VIRTUAL TABLE t USING fts5(body, tokenize='trigram')",
        "CREATE VIRTUAL TABLE t USING rtree(a, b, c)",
        "CREATE INDEX t_b ON w(v)",
        "CREATE INDEX t_b ON t(b) WHERE a IN (SELECT 1)",
        "CREATE UNIQUE INDEX t_b ON t(a || b, c COLLATE RTRIM DESC)",
        "CREATE TABLE t(",
        "SELECT 1",
        "",
    ]

    static func random(using generator: inout SeededGenerator) -> SchemaEdit {
        func pick<T>(_ elements: [T]) -> T {
            elements[Int.random(in: 0..<elements.count, using: &generator)]
        }
        let row = "rowid = \(Int.random(in: 1...14, using: &generator))"
        let number = pick([0, 1, 2, 3, 9, 255, 65_536, 2_147_483_647, 4_294_967_296, -1])
        switch Int.random(in: 0..<9, using: &generator) {
        case 0...2:
            let text = pick(texts)
            let name =
                text.contains("INDEX")
                ? "t_b"
                : ["VIEW": "vw", "TRIGG": "tr"]
                    .first { text.contains($0.key) }?.value ?? "t"
            return SchemaEdit(
                sql:
                    "sql = '\(text.replacingOccurrences(of: "'", with: "''"))' WHERE name = '\(name)'"
            )
        case 3: return SchemaEdit(sql: "rootpage = \(number) WHERE \(row)")
        case 4:
            return SchemaEdit(
                sql: "rootpage = (SELECT max(rootpage) FROM sqlite_schema) WHERE \(row)"
            )
        case 5:
            let type = pick(["'view'", "'table'", "'index'", "'trigger'", "NULL", "x'ff'", "''"])
            return SchemaEdit(sql: "type = \(type) WHERE \(row)")
        case 6:
            let name = pick([
                "CAST(x'ff41' AS TEXT)", "'t'", "NULL", "''", "7", "'sqlite_x'", "'a\"b'",
                "'a' || char(0)",
            ])
            let column = pick(["name", "tbl_name"])
            return SchemaEdit(sql: "\(column) = \(name) WHERE \(row)")
        case 7:
            let length = Int.random(in: 0..<60, using: &generator)
            return SchemaEdit(sql: "sql = substr(sql, 1, \(length)) WHERE \(row)")
        default:
            let other = pick([
                "x'ff00ff'", "replace(sql, 'a', CAST(x'c3' AS TEXT))", "sql || ' STRICT'",
                "replace(sql, '(', '((')", "NULL", "upper(sql)",
            ])
            return SchemaEdit(sql: "sql = \(other) WHERE \(row)")
        }
    }

    /// Makes the change in a copy of the database. One that SQLite refuses changes nothing.
    func apply(to image: DatabaseImage, at path: String) throws -> DatabaseImage {
        try image.write(to: path)
        let connection = try Connection(path: path)
        try connection.execute("PRAGMA writable_schema = 1")
        do {
            try connection.run("UPDATE sqlite_schema SET \(sql)")
        } catch let error as SQLiteError where error.resultCode != .misuse {
            // A constraint of the schema's own rows.
        }
        try connection.close()
        return try DatabaseImage(name: image.name, pageSize: image.pageSize, readingFrom: path)
    }
}
