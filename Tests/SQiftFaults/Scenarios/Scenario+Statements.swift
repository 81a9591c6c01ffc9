import Foundation
import SQift

private struct Item: Codable, ExpressibleByRow {
    let a: Int
    let k: Int?
}

extension Scenario {
    /// Statements are prepared, bound and run, and results are read in each shape.
    static var statements: [Scenario] {
        [
            forEachJournal("prepare", run: prepareAndRun),
            forEachJournal("query") { work, _ in try queryInEachShape(work) },
            forEachJournal("script", run: runScript),
            forEachJournal("returning", run: insertReturning),
            [
                Scenario(
                    name: "query-closures",
                    prepare: { try $0.makeDatabase() },
                    run: queryWithClosures
                ),
                Scenario(
                    name: "query-decoded",
                    prepare: { try $0.makeDatabase() },
                    run: queryDecoded
                ),
                Scenario(name: "cursors", prepare: { try $0.makeDatabase() }, run: readWithCursors),
                Scenario(
                    name: "statement-errors",
                    prepare: { try $0.makeDatabase() },
                    run: meetErrors
                ),
            ],
        ].flatMap(\.self)
    }

    private static func prepareAndRun(_ work: Workplace, _: String) throws {
        let connection = try work.open()
        try connection.transaction {
            let update = try connection.prepare("UPDATE t SET k = ? WHERE a <= ?")
            try update.bind(2, 20).run()
            let named = try connection.prepare("UPDATE t SET k = :k, x = :x WHERE a > :a")
            try named.bind(["k": 2, "x": Data(repeating: 7, count: 300), "a": 20]).run()
            try expect(named.parameterNames.count == 3, "parameters: \(named.parameterNames)")
        }
        work.promise()
        try work.expectRows(40, k: 2, in: connection)
        try work.close(connection)
    }

    private static func queryInEachShape(_ work: Workplace) throws {
        let connection = try work.open()
        let one: Int = try connection.query("SELECT max(a) FROM t")
        let missing: Int? = try connection.query("SELECT a FROM t WHERE a = ?", 99)
        let all: [Int] = try connection.query("SELECT a FROM t ORDER BY x, a")
        let optional: [Int?] = try connection.query("SELECT nullif(a, 3) FROM t ORDER BY a")
        let blobs: [Int: Data] = try connection.query("SELECT a, x FROM t")
        let row: Row? = try connection.query("SELECT * FROM t WHERE a = ?", 5)
        let rows: [Row] = try connection.query("SELECT * FROM t WHERE a < :a", ["a": 5])
        try expect(one == 40 && missing == nil, "\(one), \(missing ?? 0)")
        try expect(all == Array(1...40), "\(all)")
        try expect(optional.count == 40 && optional[2] == nil, "\(optional)")
        try expect(blobs.values.allSatisfy { $0.count == 400 }, "short blobs")
        try expect(blobs.count == 40 && rows.count == 4, "\(blobs.count), \(rows.count)")
        try expect(try row?.get("a") == 5, "the wrong row")
        try work.close(connection)
    }

    private static func queryWithClosures(_ work: Workplace) throws {
        let connection = try work.open()
        let names: [String] = try connection.query("SELECT a, k FROM t") { row in
            "\(try row.get(0) as Int) \(try row.get(1) as Int)"
        }
        let first: Int? = try connection.query("SELECT a FROM t ORDER BY a") { try $0.get(0) }
        let pairs: [Int: Int] = try connection.query("SELECT a, k FROM t") { row in
            (try row.get(0), try row.get(1))
        }
        var sum = 0
        try connection.forEachRow("SELECT a FROM t") { sum += try $0.get(0) }
        try expect(names.count == 40 && first == 1, "\(names.count) names, first \(first ?? 0)")
        try expect(pairs.count == 40 && sum == 820, "\(pairs.count) pairs, sum \(sum)")
        try work.close(connection)
    }

    private static func queryDecoded(_ work: Workplace) throws {
        let connection = try work.open()
        let items: [Item] = try connection.query("SELECT a, k FROM t ORDER BY a")
        try expect(items.count == 40 && items[3].a == 4, "\(items.count) items")
        let tuples = try connection.query("SELECT a, k FROM t", as: (Int, Int?).self)
        try expect(tuples.count == 40, "\(tuples.count) tuples")
        let last = try connection.query("SELECT max(a) FROM t", as: (Int).self).first
        try expect(last == 40, "\(last ?? 0)")
        try connection.transaction {
            try connection.run("UPDATE t SET k = :k WHERE a = :a", encoding: Item(a: 7, k: 2))
            try connection.run("UPDATE t SET k = 2")
        }
        work.promise()
        try work.close(connection)
    }

    private static func readWithCursors(_ work: Workplace) throws {
        let connection = try work.open()
        let upwards = try connection.cursor("SELECT a FROM t ORDER BY a")
        let downwards = try connection.cursor("SELECT a FROM t ORDER BY a DESC")
        var count = 0
        while let low: Int = try upwards.next(), let high: Int = try downwards.next() {
            try expect(low + high == 41, "\(low) beside \(high)")
            count += 1
        }
        try expect(count == 40, "\(count) rows")
        downwards.close()
        try work.close(connection)
    }

    private static func runScript(_ work: Workplace, _: String) throws {
        let connection = try work.open()
        try connection.transaction {
            try connection.execute(
                """
                UPDATE t SET k = 2; -- one
                CREATE VIEW IF NOT EXISTS v AS SELECT a FROM t;
                CREATE TRIGGER IF NOT EXISTS r AFTER UPDATE ON t BEGIN SELECT 1; END;
                """
            )
            try connection.execute("UPDATE t SET x = :x; SELECT 1", parameters: ["x": 5])
        }
        work.promise()
        try work.close(connection)
    }

    private static func insertReturning(_ work: Workplace, _: String) throws {
        let connection = try work.open()
        let sql = "INSERT INTO t VALUES(?, ?, ?) ON CONFLICT DO UPDATE SET k = 3 RETURNING a"
        let id: Int = try connection.query(sql, 41, 3, "text")
        work.promise()
        try expect(id == 41, "row \(id)")
        try work.close(connection)
    }

    /// Errors of the SQL, each of which leaves a connection that works.
    private static func meetErrors(_ work: Workplace) throws {
        let connection = try work.open()
        for sql in ["SELEC", "INSERT INTO t(a) VALUES(1)", "SELECT nothing FROM t", ""] {
            do {
                try connection.run(sql)
                throw Broken(description: "\(sql) throws nothing")
            } catch let error as SQLiteError where error.resultCode != .noMemory {
                // That is what it is for, unless it is the fault.
                if [.ioError, .interrupt, .cantOpen, .full].contains(error.resultCode) {
                    throw error
                }
            }
        }
        try work.expectRows(40, k: 1, in: connection)
        try work.close(connection)
    }
}
