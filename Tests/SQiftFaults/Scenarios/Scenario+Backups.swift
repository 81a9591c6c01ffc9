import Foundation
import SQift

extension Scenario {
    /// A `Database` is backed up to files and restored from them.
    static var databaseBackups: [Scenario] {
        let backups = ["none", "delete", "wal"].flatMap { destination in
            forEachJournal(
                "backup-over-\(destination)",
                traits: [.usesDatabase],
                prepare: { work, journal in
                    try work.makeDatabase(journal: journal, k: 2, rowCount: 90)
                    if destination != "none" {
                        try work.makeDatabase("copy.db", journal: destination)
                    }
                },
                run: { work, journal in
                    let database = try work.openDatabase(journal: journal)
                    try database.backup(to: .onDisk(work.path("copy.db")), pagesPerStep: 4)
                    work.promise()
                    try work.close(database)
                }
            )
        }
        let restores = [4096, 1024].flatMap { pageSize in
            forEachJournal(
                "restore-\(pageSize)",
                traits: [.usesDatabase],
                prepare: { work, journal in
                    try work.makeDatabase(journal: journal, pageSize: pageSize)
                    try work.makeDatabase("copy.db", k: 2, rowCount: 90)
                },
                run: { work, journal in
                    let database = try work.openDatabase(journal: journal)
                    try database.restore(from: .onDisk(work.path("copy.db")), pagesPerStep: 4)
                    work.promise()
                    try database.read { try work.expectRows(90, k: 2, in: $0) }
                    try work.close(database)
                }
            )
        }
        return backups + restores
    }
}
