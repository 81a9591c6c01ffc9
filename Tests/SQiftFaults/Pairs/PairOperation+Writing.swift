import Foundation
import SQift

extension PairOperation {
    private struct Change: Error {}

    static var writing: [PairOperation] {
        [
            PairOperation("write", absentWith: writers, run: write),
            PairOperation("bulk write", absentWith: writers, run: writeMuch),
            PairOperation("savepoint", absentWith: writers + unsafe, run: useSavepoint),
            PairOperation("failed write", absentWith: writers + unsafe, run: failToWrite),
            PairOperation("cancelled write", absentWith: writers + unsafe, run: cancelWrite),
            PairOperation("blob", absentWith: writers, run: writeBlob),
            PairOperation(
                "observe",
                absentWith: writers + [PropertyValue(Listener.none)],
                run: observe
            ),
        ]
    }

    private static func write(_ trial: PairTrial) throws {
        let id = trial.model.nextID
        let target = trial.combination.target
        let parents = Set(trial.model.children.values)
        guard let oldest = trial.model.records.keys.filter({ !parents.contains($0) }).min()
        else { return }
        let record = PairModel.Record.make(id)
        try trial.subject.write { connection in
            try trial.insert(id, record, on: connection)
            try connection.run("UPDATE \(target) SET a = 'new', n = 7 WHERE id = ?", id - 1)
            try connection.run("DELETE FROM \(target) WHERE id = ?", oldest)
            if trial.combination.schemaCall != .nothing {
                try connection.run("INSERT INTO served(id, a) VALUES(?, 'served')", id)
            }
        }
        trial.model.records[id] = record
        trial.model.records[id - 1]?.text = "new"
        trial.model.records[id - 1]?.number = 7
        trial.model.records[oldest] = nil
        if trial.combination.schemaCall != .nothing {
            trial.model.served[id] = "served"
        }
    }

    /// Enough to fill many pages.
    private static func writeMuch(_ trial: PairTrial) throws {
        let first = trial.model.nextID
        let ids = first..<first + 400
        try trial.subject.write { connection in
            let sql = "INSERT INTO \(trial.combination.target)(id, a, n, b) VALUES(?, ?, ?, ?)"
            let statement = try connection.prepare(sql)
            for id in ids {
                let record = PairModel.Record.make(id)
                try statement.bind(id, record.text, record.number, Data(record.bytes)).run()
            }
        }
        for id in ids {
            trial.model.records[id] = .make(id)
        }
        let sql = "DELETE FROM \(trial.combination.target) WHERE id >= ?"
        _ = try trial.subject.write { try $0.run(sql, first + 5) }
        trial.model.records = trial.model.records.filter { $0.key < first + 5 }
    }

    private static func useSavepoint(_ trial: PairTrial) throws {
        let id = trial.model.nextID
        try trial.subject.write { connection in
            try trial.insert(id, .make(id), on: connection)
            do {
                try connection.savepoint {
                    try trial.insert(id + 1, .make(id + 1), on: connection)
                    throw Change()
                }
            } catch is Change {}
            try connection.savepoint { try trial.insert(id + 2, .make(id + 2), on: connection) }
        }
        trial.model.records[id] = .make(id)
        trial.model.records[id + 2] = .make(id + 2)
    }

    /// A constraint fails, or the closure does: nothing is written.
    private static func failToWrite(_ trial: PairTrial) throws {
        let id = trial.model.nextID
        do {
            try trial.subject.write { connection in
                try trial.insert(id, .make(id), on: connection)
                try trial.insert(id, .make(id), on: connection)
            }
            throw Broken(description: "an id was written twice")
        } catch let error as SQLiteError where error.resultCode == .constraint {}
        do {
            try trial.subject.write { connection -> Void in
                try trial.insert(id, .make(id), on: connection)
                throw Change()
            }
        } catch is Change {}
        do {
            try trial.subject.write { connection -> Void in
                try connection.run("INSERT INTO child VALUES(99, 12345678)")
                throw Change()
            }
        } catch is Change where !trial.combination.hasForeignKeys {
        } catch let error as SQLiteError
            where error.resultCode == .constraint && trial.combination.hasForeignKeys
        {}
    }

    private static func cancelWrite(_ trial: PairTrial) throws {
        do {
            let sql = """
                DELETE FROM \(trial.combination.target) WHERE id NOT IN (SELECT t FROM child)
                """
            try trial.subject.writeCancelled { connection in
                try connection.run(sql)
                try readForever(connection)
            }
            throw Broken(description: "nothing was cancelled")
        } catch is CancellationError {
        } catch let error as SQLiteError where error.resultCode == .interrupt {}
    }

    private static func writeBlob(_ trial: PairTrial) throws {
        guard let id = trial.model.records.keys.max() else { return }
        try trial.subject.write { connection in
            let blob = try connection.openBlob(table: "t", column: "b", rowID: Int64(id))
            try blob.write(Data([255, 254, 253]), at: 10)
            let bytes = try blob.read(at: 9, count: 3)
            try expect(bytes.dropFirst() == Data([255, 254]), "other bytes: \(Array(bytes))")
            try blob.close()
        }
        trial.model.records[id]?.bytes.replaceSubrange(10..<13, with: [255, 254, 253])
    }

    private static func observe(_ trial: PairTrial) throws {
        trial.subject.forgetReports()
        let id = trial.model.nextID
        try trial.subject.write { try trial.insert(id, .make(id), on: $0) }
        trial.model.records[id] = .make(id)
        try trial.subject.expectReport(count: trial.model.records.count)
    }
}
