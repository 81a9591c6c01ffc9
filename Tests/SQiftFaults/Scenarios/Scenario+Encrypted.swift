import Foundation
import SQift

extension Scenario {
    /// Encrypted databases.
    static var encrypted: [Scenario] {
        guard Keys.areSupported else { return [] }
        return [
            forEachJournal("key", prepare: makeEncrypted, run: write),
            forEachJournal("rekey", prepare: makeEncrypted, run: rekey),
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

    private static func rekey(_ work: Workplace, _: String) throws {
        var configuration = Connection.Configuration()
        configuration.key = Keys.one
        let connection: Connection
        do {
            connection = try work.open("main.db", configuration)
        } catch let error as SQLiteError where error.resultCode == .notADatabase {
            // It was done before.
            configuration.key = Keys.other
            try work.close(try work.open("main.db", configuration))
            return
        }
        do {
            try connection.rekey(to: Keys.other)
        } catch let error as SQLiteError where error.message.contains("connection is closed") {
            // It says so where it can't go on with the old key.
            try work.close(connection)
            throw error
        }
        work.promise()
        try work.expectRows(40, k: 1, in: connection)
        try work.close(connection)
    }

    private static func backUp(_ work: Workplace, journal: String) throws {
        let database = try work.openDatabase(journal: journal, key: Keys.one)
        try database.backup(to: .onDisk(work.path("copy.db")), pagesPerStep: 4)
        work.promise()
        try work.close(database)
    }
}
