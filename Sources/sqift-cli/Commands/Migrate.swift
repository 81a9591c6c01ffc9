import Foundation
import SQift

/// Runs the migrations in a folder, rehearses them, or compares the schema with theirs.
struct Migrate {
    private let file: DatabaseFile
    private let migrations: [Migration]
    private let options: [String: String]

    init(_ arguments: Arguments) throws {
        file = DatabaseFile(arguments.operands[0])
        migrations = try Migration.load(from: URL(fileURLWithPath: arguments.operands[1]))
        options = arguments.options
        if options["--check-drift"] != nil,
            let other = ["--to", "--dry-run", "--backup"].first(where: { options[$0] != nil })
        {
            throw UsageError("--check-drift runs no file, so it can't be used with \(other)")
        }
    }

    func run() throws -> ExitCode {
        let checksDrift = options["--check-drift"] != nil
        let onlyReads = options["--dry-run"] != nil || checksDrift
        let isNew = !file.exists
        // A run that has written nothing leaves no empty file where there was none.
        defer {
            if isNew, file.size == 0 {
                try? FileManager.default.removeItem(atPath: file.path)
            }
        }

        let connection = try onlyReads ? openToRead() : openToMigrate()
        let migrator = Migrator(connection: connection, migrations: migrations)
        try printStatus(of: migrator)
        var exitCode = ExitCode.done
        if checksDrift {
            exitCode = try hasDrift(migrator) ? .failed : .done
        } else {
            try onlyReads ? rehearse(migrator) : migrate(migrator)
        }
        try connection.close()
        return exitCode
    }

    private func printStatus(of migrator: Migrator) throws {
        let applied = Set(try migrator.applied())
        var lines = [["migration", "status"]]
        lines += migrations.map { [$0.name, applied.contains($0.name) ? "applied" : "pending"] }
        lines += try migrator.unknown().map { [$0, "unknown"] }
        printTable(lines)
    }

    private func openToMigrate() throws -> Connection {
        try file.refuseSpecialFile()
        let connection = try Connection(
            path: file.path,
            configuration: DatabaseFile.configuration
        )
        try file.namingItself {
            // With FULL, SQLite doesn't sync the folder after it deletes a rollback journal. A
            // power failure could bring the journal back and undo a migration that was reported as
            // done. In WAL mode EXTRA is the same as FULL.
            // https://sqlite.org/pragma.html#pragma_synchronous
            try connection.run("PRAGMA synchronous = EXTRA")
        }
        connection.stopWhenCancelled()
        return connection
    }

    /// A missing database has no migrations, and a rehearsal doesn't create it.
    private func openToRead() throws -> Connection {
        try file.exists ? file.openToRead() : Connection()
    }

    private func rehearse(_ migrator: Migrator) throws {
        let report = try migrator.rehearse(upTo: options["--to"]) { $0.stopWhenCancelled() }
        for change in report.schemaChanges {
            print("would change: \(change)")
        }
        let count = report.migrations.count
        print("migrations that would run: \(count), changed rows: \(report.changedRowCount)")
    }

    private func hasDrift(_ migrator: Migrator) throws -> Bool {
        let drift = try migrator.schemaDrift { $0.stopWhenCancelled() }
        for change in drift {
            print("drift: \(change)")
        }
        print("differences from the migrations: \(drift.count)")
        return !drift.isEmpty
    }

    private func migrate(_ migrator: Migrator) throws {
        let backup = options["--backup"].map { StorageLocation.onDisk($0) }
        let report = try migrator.run(upTo: options["--to"], backupTo: backup) { step in
            try Task.checkCancellation()
            Terminal.printError("\(step)")
        }
        for violation in report.foreignKeyViolations {
            Terminal.printError("warning, not caused by the migrations: \(violation)")
        }
        let count = report.migrations.count
        print("migrations that ran: \(count), changed rows: \(report.changedRowCount)")
    }
}
