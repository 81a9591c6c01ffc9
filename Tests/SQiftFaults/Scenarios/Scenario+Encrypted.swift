import Foundation
import SQift

extension Scenario {
    /// Encrypted databases.
    static var encrypted: [Scenario] {
        guard Keys.areSupported else { return [] }
        let usual = [
            forEachJournal("key", prepare: makeEncrypted, run: write),
            forEachJournal(
                "key-backup",
                traits: [.usesDatabase],
                prepare: makeEncrypted,
                run: backUp
            ),
        ].flatMap(\.self).map { scenario in
            var scenario = scenario
            scenario.keys = [Keys.one, Keys.other]
            return scenario
        }
        return usual
            + changingKey("new-key", from: Keys.passphrase, to: Keys.otherPassphrase)
            + changingKey("first-key", from: nil, to: Keys.passphrase)
            + changingKey("no-key", from: Keys.passphrase, to: nil)
    }

    /// The file is larger than the page cache, or SQLite would write nothing before the commit.
    private static func changingKey(
        _ name: String,
        from oldKey: Data?,
        to newKey: Data?
    ) -> [Scenario] {
        forEachJournal(
            name,
            traits: [.backsUpOnce],
            prepare: { try $0.makeDatabase(journal: $1, rowCount: 6000, key: oldKey) },
            run: { work, _ in
                var configuration = Connection.Configuration()
                configuration.key = oldKey
                let path = work.path("main.db")
                do {
                    try Connection.changeKey(of: path, configuration: configuration, to: newKey)
                } catch let error as SQLiteError
                    where error.resultCode == .notADatabase
                    && error.message.contains(
                        "; the file has \(newKey == nil ? "no" : "the new") key"
                    )
                {
                    // It was done before.
                }
            }
        ).map { scenario in
            var scenario = scenario
            scenario.keys = [oldKey, newKey]
            return scenario
        }
    }

    private static func makeEncrypted(_ work: Workplace, journal: String) throws {
        try work.makeDatabase(journal: journal, key: Keys.one)
    }

    private static func write(_ work: Workplace, _: String) throws {
        var configuration = Connection.Configuration()
        configuration.key = Keys.one
        let connection = try work.open("main.db", configuration)
        try connection.run("UPDATE t SET k = 2")
        work.promise()
        try work.close(connection)
    }

    private static func backUp(_ work: Workplace, journal: String) throws {
        let database = try work.openDatabase(journal: journal, key: Keys.one)
        try database.backup(to: .onDisk(work.path("copy.db")), pagesPerStep: 4)
        work.promise()
        try work.close(database)
    }
}
