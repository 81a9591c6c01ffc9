import Foundation
import SQift

extension PowerScenario {
    /// Every scenario that the SQLite in use can do.
    static var all: [PowerScenario] {
        let lists = [migrations, backups, restores, encrypted, writes]
        return lists.flatMap(\.self)
    }

    /// The scenario of this name among those for all techniques, or none if the SQLite in use can't
    /// do it.
    private static func known(_ name: String, loss: Loss) -> [PowerScenario] {
        Scenario.all.filter { $0.name == name }.map { PowerScenario(scenario: $0, loss: loss) }
    }

    /// Scenarios that change a database with a journal of each kind. `synchronous` is FULL.
    private static func changing(_ names: [String]) -> [PowerScenario] {
        names.flatMap { name in
            known("\(name)-delete", loss: .lastCommit) + known("\(name)-wal", loss: .nothing)
        }
    }

    private static var migrations: [PowerScenario] {
        let usual =
            changing(["migrate", "migrate-numbered", "migrate-backup", "rebuild"])
            + known("migrate-vacuum", loss: .lastCommit)
        let throughDatabase = ["delete", "wal"].map { journal in
            PowerScenario(
                scenario: migrateThroughDatabase(journal),
                loss: journal == "delete" ? .lastCommit : .nothing
            )
        }
        return usual + throughDatabase
    }

    /// The file of a backup is synced by the library, whatever the journal of the source is.
    private static var backups: [PowerScenario] {
        let usual = ["none", "delete", "wal"].flatMap { destination in
            ["delete", "wal"].flatMap { journal in
                known("backup-over-\(destination)-\(journal)", loss: .nothing)
            }
        }
        let leftovers = [true, false].map { hasDatabase in
            PowerScenario(scenario: backUpOverLeftover(hasDatabase: hasDatabase))
        }
        return usual + leftovers
    }

    private static var restores: [PowerScenario] {
        changing(["restore-4096", "restore-1024"])
    }

    private static var encrypted: [PowerScenario] {
        changing(["key"])
            + ["key-backup", "new-key", "first-key", "no-key"].flatMap { name in
                ["delete", "wal"].flatMap { known("\(name)-\($0)", loss: .nothing) }
            }
    }
}
