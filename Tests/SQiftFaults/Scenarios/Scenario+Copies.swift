import Foundation
import SQift

extension Scenario {
    /// Copies from one connection to another.
    static var copies: [Scenario] {
        [
            forEachJournal(
                "copy",
                prepare: { work, journal in
                    try work.makeDatabase(journal: journal, k: 2, rowCount: 90)
                    try work.makeDatabase("copy.db")
                },
                run: copyToFile
            ),
            forEachJournal(
                "copy-background",
                prepare: { work, journal in
                    try work.makeDatabase(journal: journal, k: 2, rowCount: 90)
                    try work.makeDatabase("copy.db")
                },
                run: copyInBackground
            ),
            [
                Scenario(
                    name: "copy-memory",
                    prepare: { try $0.makeDatabase() },
                    run: { work in
                        let connection = try work.open()
                        let memory = try work.open(.inMemory)
                        try connection.backup(to: memory, pagesPerStep: 3)
                        try work.expectRows(40, k: 1, in: memory)
                        try memory.run("UPDATE t SET k = 2")
                        let backup = try Backup(from: memory, to: connection)
                        while try !backup.step(pages: 4) {}
                        work.promise()
                        try backup.finish()
                        try work.close(memory)
                        try work.close(connection)
                    }
                )
            ],
        ].flatMap(\.self)
    }

    private static func copyToFile(_ work: Workplace, _: String) throws {
        let connection = try work.open()
        let copy = try work.open("copy.db")
        try connection.backup(to: copy, pagesPerStep: 5)
        work.promise()
        try work.expectRows(90, k: 2, in: copy)
        try work.close(copy)
        try work.close(connection)
    }

    private static func copyInBackground(_ work: Workplace, _: String) throws {
        let connection = try work.open()
        let copy = try work.open("copy.db")
        let hasEnded = DispatchSemaphore(value: 0)
        let result = Locked<Connection.BackupResult>(.cancelled)
        try connection.backup(
            to: copy,
            pageSize: 5,
            completionQueue: .global(),
            completion: { outcome in
                result.withLock { $0 = outcome }
                hasEnded.signal()
            }
        )
        hasEnded.wait()
        if case .failure(let error) = result.withLock({ $0 }) {
            throw error
        }
        work.promise()
        try work.close(copy)
        try work.close(connection)
    }
}
