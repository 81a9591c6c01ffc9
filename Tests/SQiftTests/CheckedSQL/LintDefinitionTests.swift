import SQiftTestSupport
import Testing

/// What the migrations make is right even if no statement uses it yet.
@Suite(.builtLint) struct LintDefinitionTests {
    private func program(_ migrations: String...) -> [String: String] {
        let list = migrations.enumerated().map { "    Migration(\"\($0)\", sql: \"\($1)\")," }
        return [
            "Migrations.swift": """
            import SQift
            let migrations = [
                Migration("cars", sql: "CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT)"),
            \(list.joined(separator: "\n"))
            ]
            """
        ]
    }

    @Test func aViewIsCompiled() throws {
        let view = "▸CREATE VIEW names AS SELECT nmae FROM cars"
        try LintSources(program(view)).expect(["error: names can't be used: no such column: nmae"])
        try LintSources(program("CREATE VIEW names AS SELECT name FROM cars")).expect([])
    }

    @Test(arguments: ["INSERT", "UPDATE", "DELETE"])
    func triggersAreCompiled(event: String) throws {
        let head = "CREATE TRIGGER t AFTER \(event) ON cars BEGIN"
        let wrong = "▸\(head) DELETE FROM cars WHERE nmae = 1; END"
        try LintSources(program(wrong)).expect(["error: cars can't be used: no such column: nmae"])
        let right = "\(head) DELETE FROM cars WHERE name = 1; END"
        try LintSources(program(right)).expect([])
    }

    @Test func aParentHasToBeThere() throws {
        let wrong = "CREATE TABLE wheels(car INTEGER REFERENCES ▸crs(id))"
        try LintSources(program(wrong)).expect([
            "warning: wheels refers to crs, which no migration makes"
        ])
        let right = "CREATE TABLE wheels(car INTEGER REFERENCES Cars(id))"
        let later = "CREATE TABLE a(b REFERENCES b(id)); CREATE TABLE b(id INTEGER PRIMARY KEY)"
        try LintSources(program(right, later)).expect([])
    }

    @Test(arguments: [
        "ALTER TABLE cars ADD COLUMN price INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE cars ADD COLUMN price INTEGER",
    ])
    func aColumnThatRowsCanGetIsRight(sql: String) throws {
        try LintSources(program(sql)).expect([])
    }

    @Test func aColumnThatIsNotNullNeedsADefault() throws {
        let sql = "▸ALTER TABLE cars ADD COLUMN price INTEGER NOT NULL"
        try LintSources(program(sql)).expect([
            "warning: a table with rows refuses a column that is NOT NULL without a default"
        ])
    }
}
