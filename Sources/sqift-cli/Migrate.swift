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
        let isNew = !FileManager.default.fileExists(atPath: path)
        defer {
            if isNew, size(of: path) == 0 {
                try? FileManager.default.removeItem(atPath: path)
            }
        }
        let connection = try isRehearsal ? openToRehearse() : openToMigrate()
        let migrator = Migrator(connection: connection, migrations: migrations)
        let applied = Set(try migrator.applied())
        let known = migrations.map { [$0.name, applied.contains($0.name) ? "applied" : "pending"] }
        printTable(
            [["migration", "status"]] + known + (try migrator.unknown().map { [$0, "unknown"] })
        )
        try isRehearsal ? rehearse(migrator) : migrate(migrator)
        try connection.close()
    }

    private func openToMigrate() throws -> Connection {
        try refuseSpecialFile(path)
        var configuration = Connection.Configuration()
        configuration.busyTimeout = 5
        let connection = try Connection(path: path, configuration: configuration)
        try namingFile(path) {
            // FULL doesn't sync the folder after a rollback journal was deleted: a power failure
            // could bring it back, and undo a migration that was reported as done. In WAL it is the
            // same. https://sqlite.org/pragma.html#pragma_synchronous
            try connection.run("PRAGMA synchronous = EXTRA")
        }
        connection.stopWhenCancelled()
        return connection
    }

    /// A database that isn't there has no migrations; a rehearsal doesn't create it.
    private func openToRehearse() throws -> Connection {
        try FileManager.default.fileExists(atPath: path) ? openToRead(path) : Connection()
    }

    private func rehearse(_ migrator: Migrator) throws {
        let report = try migrator.rehearse(upTo: options["--to"]) { $0.stopWhenCancelled() }
        for change in report.schemaChanges {
            print("would be: \(change)")
        }
        let count = report.migrations.count
        print("migrations that would run: \(count), changed rows: \(report.changedRowCount)")
    }

    private func migrate(_ migrator: Migrator) throws {
        let backup = options["--backup"].map { StorageLocation.onDisk($0) }
        let report = try migrator.run(upTo: options["--to"], backupTo: backup) { step in
            try Task.checkCancellation()
            printError("\(step)")
        }
        for violation in report.foreignKeyViolations {
            printError("warning, as before: \(violation)")
        }
        let count = report.migrations.count
        print("migrations that ran: \(count), changed rows: \(report.changedRowCount)")
    }
}
