import Foundation
import SQift

/// Runs the migrations in a folder, rehearses them, or compares the schema with theirs.
struct Migrate {
    struct Status: Encodable {
        let name: String
        let status: String
    }

    struct Report: CommandReport {
        var migrations: [Status] = []
        var schemaChanges: [String] = []
        var changedRows = 0
        /// Whether there was no such database.
        var isNew = false
        var exitCode = ExitCode.done
        /// What stands before a change of the schema in the text; nil leaves the changes out.
        var label: String?
        var summary = ""

        private enum CodingKeys: CodingKey {
            case migrations, schemaChanges, changedRows, isNew, exitCode
        }

        func printText() {
            printTable([["migration", "status"]] + migrations.map { [$0.name, $0.status] })
            if let label {
                schemaChanges.forEach { print("\(label): \($0)") }
            }
            print(summary)
        }
    }

    private let file: DatabaseFile
    private let migrations: [Migration]
    private let options: [String: String]
    private let isNew: Bool
    private let schemaFile: SchemaFile?

    init(_ arguments: Arguments) throws {
        file = DatabaseFile(arguments.operands[0])
        migrations = try Migration.load(from: URL(fileURLWithPath: arguments.operands[1]))
        options = arguments.options
        isNew = !file.exists
        schemaFile = try options["--schema"].map {
            try SchemaFile($0, outside: arguments.operands[1])
        }
        if options["--dry-run"] != nil, schemaFile != nil {
            throw UsageError("--dry-run writes no file, so it can't be used with --schema")
        }
        for only in ["--check", "--check-drift"] where options[only] != nil {
            let others = ["--to", "--dry-run", "--backup", "--schema", "--check-drift"]
            if let other = others.first(where: { $0 != only && options[$0] != nil }) {
                throw UsageError("\(only) runs no file, so it can't be used with \(other)")
            }
        }
    }

    func run() throws -> Report {
        if options["--check"] != nil {
            try check()
        } else if options["--check-drift"] != nil {
            try report(on: openToRead(), by: compare)
        } else if options["--dry-run"] != nil {
            try report(on: openToRead(), by: rehearse)
        } else {
            try report(on: openToMigrate(), by: migrate)
        }
    }

    /// Runs nothing, and tells what the database has had.
    func check() throws -> Report {
        try report(on: openToRead(), by: check)
    }

    private func report(
        on connection: Connection,
        by body: (Migrator) throws -> Report
    ) throws -> Report {
        let migrator = Migrator(connection: connection, migrations: migrations)
        var report = try body(migrator)
        report.migrations = try status(of: migrator)
        report.isNew = isNew
        try connection.close()
        return report
    }

    private func status(of migrator: Migrator) throws -> [Status] {
        let edited = Set(try migrator.edited())
        let applied = Set(try migrator.applied())
        let known = migrations.map { migration in
            let name = migration.name
            let isApplied = applied.contains(name)
            let status = edited.contains(name) ? "edited" : isApplied ? "applied" : "pending"
            return Status(name: name, status: status)
        }
        return known + (try migrator.unknown().map { Status(name: $0, status: "unknown") })
    }

    private func openToMigrate() throws -> Connection {
        try file.refuseSpecialFile()
        if isNew {
            Terminal.printError("\(file.path) is new")
        }
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
        guard isNew else { return try file.openToRead() }
        Terminal.printError("\(file.path) would be new: there is no such file")
        return try Connection()
    }

    private func check(_ migrator: Migrator) throws -> Report {
        let pending = try migrator.pending().count
        let edited = try migrator.edited().count
        let unknown = try migrator.unknown().count
        return Report(
            exitCode: pending + edited + unknown == 0 ? .done : .failed,
            summary: "\(counted(pending, "migration")) pending, \(edited) edited, "
                + "\(unknown) unknown"
        )
    }

    private func compare(_ migrator: Migrator) throws -> Report {
        let drift = try migrator.schemaDrift { $0.stopWhenCancelled() }
        return Report(
            schemaChanges: drift.map(\.description),
            exitCode: drift.isEmpty ? .done : .failed,
            label: "drift",
            summary: counted(drift.count, "difference") + " from the migrations"
        )
    }

    private func rehearse(_ migrator: Migrator) throws -> Report {
        let report = try migrator.rehearse(upTo: options["--to"]) { $0.stopWhenCancelled() }
        return Report(of: report, "would be applied", label: "would change")
    }

    private func migrate(_ migrator: Migrator) throws -> Report {
        let backup = options["--backup"].map { StorageLocation.onDisk($0) }
        // If it can't be made, nothing runs.
        let schema = try schemaFile.map { _ in
            try SchemaFile.content(of: migrations, upTo: options["--to"])
        }
        let report = try migrator.run(upTo: options["--to"], backupTo: backup) { step in
            try Task.checkCancellation()
            Terminal.printError("\(step)")
        }
        if let schema {
            try schemaFile?.write(schema)
        }
        for violation in report.foreignKeyViolations {
            Terminal.printError("warning, not caused by the migrations: \(violation)")
        }
        let rest = report.foreignKeyViolationCount - report.foreignKeyViolations.count
        if rest > 0 {
            Terminal.printError("warning, not caused by the migrations: \(rest) more such rows")
        }
        return Report(of: report, "applied")
    }
}

extension Migrate.Report {
    fileprivate init(of report: Migrator.Report, _ verb: String, label: String? = nil) {
        schemaChanges = report.schemaChanges.map(\.description)
        changedRows = report.changedRowCount
        self.label = label
        let migrations = counted(report.migrations.count, "migration")
        summary = "\(migrations) \(verb), \(counted(changedRows, "row")) changed"
    }
}
