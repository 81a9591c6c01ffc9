import Foundation
import SQift
import SQiftTestSupport
import Testing

// Migrations that were edited after they ran.
struct MigrationEditTests {
    private let connection: Connection
    private static let sql = "-- People\nCREATE TABLE people(\n    name TEXT\n);\n"

    init() throws {
        connection = try Connection()
        try migrate(connection, [Migration("people", sql: Self.sql)])
    }

    private func migrator(_ sql: SQL) -> Migrator {
        connection.migrator([Migration("people", sql: sql), creating("next")])
    }

    @Test(arguments: [
        "-- People\nCREATE TABLE people(\n    name TEXT NOT NULL\n);\n",
        "CREATE TABLE people(name TEXT)",
        "-- people\nCREATE TABLE people(\n    name TEXT\n);\n", "", sql + "DROP TABLE people",
        sql + "-- more",
    ])
    func anEditIsAnErrorByDefault(edited: SQL) throws {
        try expectUntouched(connection, .edited, containing: "people") {
            try migrator(edited).run()
        }
        try expectUntouched(connection, .edited) { try migrator(edited).run(upTo: "next") }
        migratorError(.edited) { _ = try migrator(edited).rehearse() }
        // With nothing pending it is one too.
        try expectUntouched(connection, .edited) {
            try migrate(connection, [Migration("people", sql: edited)])
        }
    }

    @Test func anEditMayBeIgnored() throws {
        let migrator = migrator("CREATE TABLE others(x)")
        #expect(migrator.editedMigrations == .fail)
        migrator.editedMigrations = .ignore
        #expect(try migrator.rehearse().migrations == ["next"])
        #expect(try migrator.run().migrations == ["next"])
        #expect(try tables(of: connection) == ["next", "people"])
        #expect(try migrator.pending() == [])
    }

    @Test func askingSaysNothingOfEdits() throws {
        #expect(try migrator("edited").pending() == ["next"])
        #expect(try migrator("edited").applied() == ["people"])
    }

    @Test(arguments: [
        sql, sql.replacingOccurrences(of: "\n", with: "\r\n"), "\u{FEFF}" + sql,
        String(sql.dropLast()), sql + "\n\n",
        sql + "  \t\r\n", "\u{FEFF}" + sql.replacingOccurrences(of: "\n", with: "\r\n") + "\r\n",
    ])
    func lineEndsAndTheEndOfTheFileAreNoEdit(sql: SQL) throws {
        #expect(try migrator(sql).run().migrations == ["next"])
    }

    @Test func anEditThatIsTakenBackIsNone() throws {
        try expectUntouched(connection, .edited) { try migrator("edited").run() }
        #expect(try migrator(Self.sql).run().migrations == ["next"])
    }

    @Test func scriptsThatDifferInAFewBytesAreNotTakenForEachOther() throws {
        let digits = (0..<500).map { "SELECT \($0)" }
        let migrations = digits.map { Migration($0, sql: $0) }
        try migrate(connection, [Migration("people", sql: Self.sql)] + migrations)
        let checksums: [String] = try connection.query(
            "SELECT DISTINCT checksum FROM sqift_migrations"
        )
        #expect(checksums.count == 501)
    }

    @Test func sqlThatBecomesAClosureIsAnEdit() throws {
        let migrations = [Migration("people") { _ in recordCall() }, creating("next")]
        try expectUntouched(connection, .edited) { try migrate(connection, migrations) }
        let migrator = connection.migrator(migrations)
        migrator.editedMigrations = .ignore
        #expect(try migrator.run().migrations == ["next"])
    }

    @Test func aClosureThatBecomesSQLCannotBeToldFromIt() throws {
        let connection = try Connection()
        try migrate(
            connection,
            [Migration("people") { try $0.execute("CREATE TABLE people(name)") }]
        )
        let migrations = [Migration("people", sql: Self.sql), creating("next")]
        #expect(try migrate(connection, migrations).migrations == ["next"])
    }

    @Test func aFileIsTheSameMigrationAsItsText() throws {
        let folder = try MigrationFolder(["0001-people.sql": Self.sql])
        try migrate(
            connection,
            [Migration("people", sql: Self.sql)]
                + folder.load().map { file in
                    Migration(file.name, sql: "SELECT 1")
                }
        )
        try expectUntouched(connection, .edited, containing: "0001-people") {
            try migrate(connection, [Migration("people", sql: Self.sql)] + folder.load())
        }

        let fresh = try Connection()
        try migrate(fresh, [Migration("0001-people", sql: Self.sql)])
        #expect(try migrate(fresh, folder.load()).migrations == [])
        let windows = try MigrationFolder([
            "0001-people.sql": Self.sql.replacingOccurrences(of: "\n", with: "\r\n")
        ])
        #expect(try migrate(fresh, windows.load()).migrations == [])
    }

    @Test func severalEditsAreAllNamed() throws {
        let connection = try Connection()
        try migrate(connection, [creating("a"), creating("b"), creating("c")])
        let edited = ["a", "b", "c"].map {
            Migration($0, sql: $0 == "b" ? "CREATE TABLE \"b\"(x)" : "edited")
        }
        let message = migratorError(.edited) { try migrate(connection, edited) }?.message ?? ""
        #expect(message.contains("a, c"))
    }
}
