import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The messages and the comment of Docs/CheckingSQL.md.
struct CheckingSQLGuideTests {
    /// A file beside the tutorial's, with one mistake in each call.
    private static let reports = #"""
        import SQift

        struct Bill: Decodable, ExpressibleByRow {
            let name: String
            let cents: Int
            let day: Int
        }

        extension Garage {
            func reports(_ name: String) throws {
                try database.read { connection in
                    let old: [Car] = try connection.query("SELECT id, name, yaer FROM cars")
                    let all: [Car] = try connection.query("SELECT id, name, year FROM crs")
                    let some: [Car] = try connection.query("SELECT id, year FROM cars WHERE name = ?", name)
                    let bills: [Bill] = try connection.query("SELECT name, cents, day FROM cars, repairs")
                    let years: [Int] = try connection.query("SELECT year FROM cars")
                    let price: Int? = try connection.query("SELECT sum(cents FROM repairs")
                    try connection.run("DELETE FROM repairs WHERE cents = 0")
                    print(old, all, some, bills, years, price ?? 0)
                }
                try database.write { connection in
                    try connection.run("INSERT INTO cars VALUES(?, ?, ?)", 1, name)
                    try connection.run("UPDATE cars SET name = :new WHERE id = :id", ["new": name])
                    try connection.run("DELETE FROM cars WHERE name = '\(name)'")
                    try connection.run("DELETE FROM cars WHERE name = \"Trabant\"")
                    try connection.run("DELETE FROM repairs; DELETE FROM cars")
                    try connection.forEachRow("SELECT id, name FROM cars") { row in
                        print(try row.get("title") as String)
                    }
                }
            }
        }
        """#

    @Test(
        .builtLint,
        .enabled(
            if: Capability.errorOffset && Capability.columnMetadata,
            "this SQLite doesn't tell where columns come from, or where an error is"
        )
    )
    func theMessagesAreThoseOfThePage() throws {
        let folder = try TemporaryFolder()
        let garage = packageFolder.appendingPathComponent("Tests/Tutorial/Sources/GarageKit")
        let names = try FileManager.default.contentsOfDirectory(atPath: garage.path)
        for name in names {
            try FileManager.default.copyItem(
                at: garage.appendingPathComponent(name),
                to: folder.url.appendingPathComponent(name)
            )
        }
        try Self.reports.write(
            toFile: folder.path("Reports.swift"),
            atomically: true,
            encoding: .utf8
        )

        let run = try LintRun([folder.url.path], in: folder.url)
        #expect(run.status == 1)
        let page = packageFolder.appendingPathComponent("Docs/CheckingSQL.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let told = lines.filter { $0.hasPrefix("Reports.swift:") }.map(String.init)
        #expect(told.count > 10)
        let prefix = folder.url.path + "/"
        #expect(
            run.messages.map { $0.description.replacingOccurrences(of: prefix, with: "") } == told
        )
    }

    @Test func theStatementThatIsSkippedRuns() throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE cars(nmae TEXT); INSERT INTO cars VALUES('Beetle')")
        // sqift: unchecked
        let legacy: [String] = try connection.query("SELECT nmae FROM cars")
        #expect(legacy == ["Beetle"])
    }
}
