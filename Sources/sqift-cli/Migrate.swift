import Foundation
import SQift

/// Runs a folder's migrations, and shows what a database has of them.
struct Migrate {
    private let path: String
    private let migrations: [Migration]
    private let options: [String: String]

    init(_ arguments: Arguments) throws {
        path = arguments.operands[0]
        migrations = try Migration.load(from: URL(fileURLWithPath: arguments.operands[1]))
        options = arguments.options
    }

    func run() throws {
        let isRehearsal = options["--dry-run"] != nil
        var configuration = Connection.Configuration()
        configuration.busyTimeout = 5
        configuration.readOnly = isRehearsal
        // A database that isn't there has no migrations; a rehearsal doesn't create it.
        let isMissing = isRehearsal && !FileManager.default.fileExists(atPath: path)
        let connection =
            try isMissing ? Connection() : Connection(path: path, configuration: configuration)
        let migrator = Migrator(connection: connection, migrations: migrations)
        let applied = Set(try migrator.applied())
        let known = migrations.map { [$0.name, applied.contains($0.name) ? "applied" : "pending"] }
        printTable(
            [["migration", "status"]] + known + (try migrator.unknown().map { [$0, "unknown"] })
        )
        if isRehearsal {
            let report = try migrator.rehearse(upTo: options["--to"])
            for change in report.schemaChanges { print("would be: \(change)") }
            print(
                "migrations that would run: \(report.migrations.count), changed rows: \(report.changedRowCount)"
            )
            return
        }
        let backup = options["--backup"].map { StorageLocation.onDisk($0) }
        let report = try migrator.run(upTo: options["--to"], backupTo: backup) {
            printError("\($0)")
        }
        for violation in report.foreignKeyViolations {
            printError("warning, as before: \(violation)")
        }
        print(
            "migrations that ran: \(report.migrations.count), changed rows: \(report.changedRowCount)"
        )
        try connection.close()
    }
}
