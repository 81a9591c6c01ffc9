import Foundation
import SQift
import SQiftTestSupport
import Testing

/// `--json`: what scripts read.
@Suite(.builtTool) struct JSONTests {
    private let scripts: MigrationFolder
    private let folder: TemporaryFolder
    private let one: String
    private let other: String

    init() throws {
        scripts = try MigrationFolder([
            "1-cars.sql": "CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT)",
            "2-fill.sql": "INSERT INTO cars(name) VALUES('Audi'), ('Seat')",
        ])
        folder = try TemporaryFolder()
        one = folder.path("a.sqlite")
        other = folder.path("b.sqlite")
        _ = try ToolRun(["migrate", one, scripts.folder.url.path])
        try Connection(path: one).backup(
            to: Connection(path: other)
        )
    }

    /// Runs the tool, whose whole output is one JSON object in one line.
    private func run(_ arguments: String...) throws -> [String: Any] {
        let run = try ToolRun(arguments + ["--json"])

        #expect(run.output.split(separator: "\n").count == 1)
        let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
        let dictionary = try #require(object as? [String: Any])
        #expect(dictionary["exitCode"] as? Int == Int(run.status))
        return dictionary
    }

    @Test func aCheckTellsItsFindings() throws {
        let sound = try run("check", one)
        try Connection(path: one).execute(
            "CREATE TABLE owners(car REFERENCES cars); INSERT INTO owners VALUES(7)"
        )
        let damaged = try run("check", one)

        #expect(sound["exitCode"] as? Int == 0)
        #expect(sound["database"] as? String == one)
        #expect(sound["sqliteVersion"] as? String == Connection.sqliteVersion)
        #expect(sound["journalMode"] as? String == "delete")
        #expect(sound["pageSize"] as? Int == 4096)
        let integrity = sound["integrity"] as? [String: [String]]
        #expect(integrity == ["problems": [], "unchecked": []])

        #expect(damaged["exitCode"] as? Int == 1)
        let foreignKeys = damaged["foreignKeys"] as? [String: [String]]
        #expect(foreignKeys?["problems"]?.count == 1)
    }

    @Test(arguments: [
        ["check", "none"], ["verify", "a.sqlite", "none"], ["migrate", "a.sqlite", "none"],
        ["check", "."],
    ])
    func aFailureIsJSONToo(arguments: [String]) throws {
        let failed = try ToolRun(
            script: "\"$0\" \(arguments.joined(separator: " ")) --json",
            in: folder
        )
        #expect(failed.status == 1)
        let object = try JSONSerialization.jsonObject(with: Data(failed.output.utf8))
        let dictionary = try #require(object as? [String: Any])
        #expect(dictionary["exitCode"] as? Int == 1)
        let error = try #require(dictionary["error"] as? String)
        #expect(failed.errors.contains(error))
    }

    @Test func aComparisonTellsEachTable() throws {
        let equal = try run("verify", one, other)
        try Connection(path: other).execute(
            "UPDATE cars SET name = 'Lada' WHERE id = 1; CREATE TABLE more(x)"
        )
        let different = try run("verify", one, other)

        #expect(equal["exitCode"] as? Int == 0)
        #expect(equal["differences"] as? [String] == [])
        #expect(different["exitCode"] as? Int == 1)
        #expect(
            different["differences"] as? [String] == [
                "only in B: table more", "1 row of cars differs",
            ]
        )
        let tables = try #require(different["tables"] as? [[String: Any]])
        let cars = try #require(tables.first { $0["name"] as? String == "cars" })
        #expect(cars["rowsInA"] as? Int == 2)
        #expect(cars["rowsInB"] as? Int == 2)
        #expect(cars["differingRows"] as? Int == 1)
    }

    private func statuses(_ report: [String: Any]) -> [String] {
        let migrations = report["migrations"] as? [[String: String]] ?? []
        return migrations.map { "\($0["name"] ?? "") \($0["status"] ?? "")" }
    }

    @Test func aMigrationTellsWhatItHasDone() throws {
        let new = folder.path("new.sqlite")
        let folder = scripts.folder.url.path
        let checked = try run("migrate", new, folder, "--check")
        let rehearsed = try run("migrate", new, folder, "--dry-run")
        let migrated = try run("migrate", new, folder)
        try Connection(path: new).execute("CREATE TABLE more(x)")
        let compared = try run("migrate", new, folder, "--check-drift")

        #expect(checked["exitCode"] as? Int == 1)
        #expect([checked, rehearsed, migrated].allSatisfy { $0["isNew"] as? Bool == true })
        #expect(compared["isNew"] as? Bool == false)
        #expect(statuses(checked) == ["1-cars pending", "2-fill pending"])
        #expect(statuses(rehearsed) == ["1-cars pending", "2-fill pending"])
        #expect(statuses(migrated) == ["1-cars applied", "2-fill applied"])
        for report in [rehearsed, migrated] {
            #expect(report["exitCode"] as? Int == 0)
            #expect(report["changedRows"] as? Int == 2)
            #expect(report["schemaChanges"] as? [String] == ["new table cars"])
        }
        #expect(compared["exitCode"] as? Int == 1)
        #expect(compared["schemaChanges"] as? [String] == ["new table more"])
    }

    @Test func anErrorIsAlsoTextOnStandardError() throws {
        let run = try ToolRun(["check", folder.path("missing.sqlite"), "--json"])

        run.expect(1)
        #expect(run.errors.hasPrefix("sqift-cli: "))
    }

    @Test func onlyReportsHaveIt() throws {
        let run = try ToolRun(["backup", "a", "b", "--json"])
        #expect(run.errors.hasPrefix("sqift-cli: backup has no option --json\n"))
    }
}
