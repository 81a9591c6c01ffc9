import Foundation
import SQift

extension PairOperation {
    static var migrating: [PairOperation] {
        [
            PairOperation("migrate", absentWith: writers) { try migrate($0) },
            PairOperation("migrate by number", absentWith: writers, run: migrateByNumber),
            PairOperation("rebuild a table", absentWith: writers, run: rebuildTable),
            PairOperation("rehearse", absentWith: writers + unsafe, run: rehearse),
            PairOperation("migrate with backup", absentWith: writers) { trial in
                let before = trial.model
                let copy = trial.newCopy()
                try migrate(trial, backupTo: .onDisk(copy))
                try trial.expectCopy(copy, of: before)
            },
        ]
    }

    private static func name(_ number: Int) -> String { "migration\(number)" }

    /// All migrations up to a number. The closure's kind is there beside that of SQL.
    private static func migrations(upTo count: Int) -> [Migration] {
        (1...count).map { number in
            let table = "made\(number)"
            return number % 2 == 0
                ? Migration(name(number), sql: "CREATE TABLE \(table)(a)")
                : Migration(name(number)) { connection in
                    try connection.execute(
                        "CREATE TABLE \(table)(a); INSERT INTO \(table) VALUES(1)"
                    )
                }
        }
    }

    private static func migrate(_ trial: PairTrial, backupTo backup: StorageLocation? = nil) throws
    {
        let number = trial.model.migrationCount + 1
        let report = try trial.subject.access { connection in
            try Migrator(connection: connection, migrations: migrations(upTo: number))
                .run(backupTo: backup)
        }
        try expect(report.migrations == [name(number)], "ran \(report.migrations)")
        trial.model.note(migration: name(number), number, table: "made\(number)")
    }

    private static func migrateByNumber(_ trial: PairTrial) throws {
        let version = trial.model.version + 1
        try trial.subject.access { connection in
            let migrator = Migrator(
                connection: connection,
                desiredSchemaVersion: UInt64(version)
            )
            let count = try migrator.runMigrationsIfNecessary { "CREATE TABLE numbered\($0)(a)" }
            try expect(count == 1, "\(count) numbered migrations ran")
        }
        trial.model.version = version
        trial.model.objects.formUnion(["table|schema_migrations", "table|numbered\(version)"])
    }

    private static func rebuildTable(_ trial: PairTrial) throws {
        let number = trial.model.migrationCount + 1
        let columns = trial.combination.columns
        let options = trial.combination.tableOptions
        let rebuilding = Migration(name(number)) { connection in
            try connection.rebuildTable("t", columns: columns, options: options) { old, new in
                try connection.run(
                    "INSERT INTO \(new)(id, a, n, b) SELECT id, a, n, b FROM \(old)"
                )
            }
        }
        let earlier = number > 1 ? migrations(upTo: number - 1) : []
        try trial.subject.access { connection in
            let migrator = Migrator(connection: connection, migrations: earlier + [rebuilding])
            migrator.editedMigrations = .ignore
            try migrator.run()
        }
        trial.model.note(migration: name(number), number, table: nil)
    }

    private static func rehearse(_ trial: PairTrial) throws {
        let number = trial.model.migrationCount + 1
        let report = try trial.subject.access { connection in
            try Migrator(connection: connection, migrations: migrations(upTo: number))
                .rehearse { try trial.site.addFunctions(to: $0) }
        }
        try expect(report.migrations == [name(number)], "rehearsed \(report.migrations)")
    }
}

extension PairModel {
    fileprivate mutating func note(migration name: String, _ number: Int, table: String?) {
        migrationCount = number
        migrated.append("sqift_migrations: \(name)")
        objects.insert("table|sqift_migrations")
        if let table {
            objects.insert("table|\(table)")
            migrated += number % 2 == 1 ? ["\(table): 1"] : []
        }
    }
}
