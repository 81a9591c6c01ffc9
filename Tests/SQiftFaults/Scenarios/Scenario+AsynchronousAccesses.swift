import Foundation
import SQift

extension Scenario {
    /// The asynchronous forms, which a cancelled task ends.
    static var asynchronousAccesses: [Scenario] {
        let traits: Set<Trait> = [.usesDatabase, .isAsynchronous]
        func makeTwo(_ work: Workplace, journal: String) throws {
            try work.makeDatabase(journal: journal)
            try work.makeDatabase("copy.db", k: 2, rowCount: 90)
        }
        return [
            forEachJournal("async-write", traits: traits, run: write),
            forEachJournal("async-read", traits: traits) { work, journal in
                let database = try work.openDatabase(journal: journal)
                let count = try work.awaiting {
                    try await database.read { try $0.query("SELECT count(*) FROM t") as Int }
                }
                try expect(count == 40, "\(count) rows")
                try work.close(database)
            },
            forEachJournal("async-backup", traits: traits, prepare: makeTwo) { work, journal in
                let database = try work.openDatabase(journal: journal)
                let copy = work.path("copy.db")
                try work.awaiting { try await database.backup(to: .onDisk(copy), pagesPerStep: 4) }
                work.promise()
                try work.close(database)
            },
            forEachJournal("async-restore", traits: traits, prepare: makeTwo) { work, journal in
                let database = try work.openDatabase(journal: journal)
                let copy = work.path("copy.db")
                try work.awaiting {
                    try await database.restore(from: .onDisk(copy), pagesPerStep: 4)
                }
                work.promise()
                try work.close(database)
            },
        ].flatMap(\.self)
    }

    private static func write(_ work: Workplace, journal: String) throws {
        let database = try work.openDatabase(journal: journal)
        try work.awaiting {
            try await database.write { connection in
                try connection.run("UPDATE t SET k = 2")
                try connection.run("UPDATE t SET x = zeroblob(401)")
            }
        }
        work.promise()
        try work.close(database)
    }
}
