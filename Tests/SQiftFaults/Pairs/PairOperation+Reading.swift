import Foundation
import SQift

extension PairOperation {
    private struct Thing: ExpressibleByRow, Decodable {
        let id: Int
        let a: String

        init(row: Row) throws {
            id = try row.get("id")
            a = try row.get("a")
        }
    }

    static var reading: [PairOperation] {
        [
            PairOperation("read", run: read),
            PairOperation("cursor", run: readByCursor),
            PairOperation("verify", run: verify),
            PairOperation("interrupt", run: interrupt),
        ]
    }

    /// In each shape of result.
    private static func read(_ trial: PairTrial) throws {
        let records = trial.model.records.sorted { $0.key < $1.key }
        let texts = records.map(\.value.text)
        try trial.subject.read { connection in
            let count: Int = try connection.query("SELECT count(*) FROM t")
            try expect(count == records.count, "\(count) rows instead of \(records.count)")
            let list: [String] = try connection.query("SELECT a FROM t ORDER BY id")
            try expect(list == texts, "other texts")
            let tuples = try connection.query(
                "SELECT n, b FROM t ORDER BY id",
                as: (Int, Data).self
            )
            let isEqual =
                tuples.map(\.0) == records.map(\.value.number)
                && tuples.map { Array($0.1) } == records.map(\.value.bytes)
            try expect(isEqual, "other tuples")
            let dictionary: [Int: String] = try connection.query("SELECT id, a FROM t")
            try expect(dictionary == trial.model.records.mapValues(\.text), "another dictionary")
            let things: [Thing] = try connection.query("SELECT id, a FROM t ORDER BY id")
            try expect(things.map(\.a) == texts, "other structs")
            let row: Row? = try connection.query("SELECT * FROM t ORDER BY id LIMIT 1")
            let first: Int? = row?[0]
            try expect(first == records.first?.key, "another row")
            let none: String? = try connection.query("SELECT a FROM t WHERE id = -1")
            try expect(none == nil, "a row that isn't there")
            let found: [Int] = try connection.query(
                "SELECT id FROM t WHERE n = ?",
                records.first?.value.number
            )
            try expect(found == [records.first?.key], "the index finds \(found)")
            try trial.expectServedRows(on: connection)
            try trial.expectAttachedRows(on: connection)
        }
    }

    private static func readByCursor(_ trial: PairTrial) throws {
        let ids = try trial.subject.read { connection in
            let cursor = try connection.cursor("SELECT id FROM t ORDER BY id")
            var ids: [Int] = []
            while let row = try cursor.next() {
                ids.append(try row.get(0))
            }
            return ids
        }
        try expect(ids == trial.model.records.keys.sorted(), "the cursor has \(ids)")
    }

    private static func verify(_ trial: PairTrial) throws {
        try trial.subject.read { connection in
            let problems = try connection.integrityCheck() + connection.quickCheck()
            try expect(problems.isEmpty, "problems: \(problems)")
            let violations = try connection.foreignKeyViolations()
            try expect(violations.isEmpty, "violations: \(violations)")
            let columns = try connection.columns(in: "child").map(\.name)
            try expect(columns == ["id", "t"], "columns: \(columns)")
        }
    }

    /// A read without an end is interrupted, and the next one works.
    private static func interrupt(_ trial: PairTrial) throws {
        do {
            let subject = trial.subject
            if trial.combination.owner == .database {
                let database = try subject.database
                try disturbing({ database.interrupt() }) { try subject.read(readForever) }
            } else {
                try subject.read { connection in
                    let handle = connection.interruptHandle
                    try disturbing({ handle.interrupt() }) { try readForever(connection) }
                }
            }
            throw Broken(description: "nothing was interrupted")
        } catch let error as SQLiteError where error.resultCode == .interrupt {
            // That is what was asked for.
        }
    }

    /// The sum has no end in practice.
    @Sendable static func readForever(_ connection: Connection) throws {
        let _: Int = try connection.query(
            """
            WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n LIMIT 1000000000)
            SELECT sum(i) FROM n
            """
        )
    }
}
