import Foundation
import SQift

private struct Total: WindowFunction {
    private var total = 0

    mutating func step(_ arguments: Row) throws {
        total += try arguments.get(0)
    }

    mutating func inverse(_ arguments: Row) throws {
        total -= try arguments.get(0)
    }

    func value() -> Int? { total }
}

extension Scenario {
    /// Swift code that SQLite calls.
    static var functions: [Scenario] {
        [
            Scenario(name: "functions", prepare: { try $0.makeDatabase() }, run: callFunctions),
            Scenario(
                name: "functions-window",
                needs: [.windowFunctions],
                prepare: { try $0.makeDatabase() },
                run: callWindowFunctions
            ),
            Scenario(name: "collation", prepare: { try $0.makeDatabase() }, run: compare),
            Scenario(name: "hooks", prepare: { try $0.makeDatabase() }, run: callHooks),
            Scenario(name: "tracing", prepare: { try $0.makeDatabase() }, run: trace),
        ]
    }

    private static func callFunctions(_ work: Workplace) throws {
        let connection = try work.open()
        try connection.addFunction(named: "twice", deterministic: true) { (a: Int) in a * 2 }
        try connection.addFunction(named: "longer") { (text: String?) throws -> String in
            String(repeating: text ?? "é", count: 400)
        }
        try connection.run("UPDATE t SET k = twice(1), x = longer(cast(a AS TEXT))")
        work.promise()
        try work.expectRows(40, k: 2, in: connection)
        try connection.removeFunction(named: "twice", argumentCount: 1)
        try work.close(connection)
    }

    private static func callWindowFunctions(_ work: Workplace) throws {
        let connection = try work.open()
        try connection.addAggregateFunction(named: "total_of", argumentCount: 1, Total.self)
        try connection.addWindowFunction(named: "running", argumentCount: 1, Total.self)
        let totals: [Int] = try connection.query("SELECT total_of(a) FROM t GROUP BY a % 4")
        try expect(totals.reduce(0, +) == 820, "\(totals)")
        let running: [Int] = try connection.query(
            "SELECT running(a) OVER (ORDER BY a ROWS 1 PRECEDING) FROM t"
        )
        try expect(running.last == 79, "\(running)")
        try work.close(connection)
    }

    private static func compare(_ work: Workplace) throws {
        let connection = try work.open()
        try connection.addCollation(named: "numeric") { one, other in
            one.compare(other, options: .numeric)
        }
        try connection.transaction {
            try connection.execute("CREATE TABLE IF NOT EXISTS names(n TEXT)")
            try connection.run("DELETE FROM names")
            try connection.run("INSERT INTO names SELECT 'car ' || a FROM t")
        }
        work.promise()
        let names: [String] = try connection.query("SELECT n FROM names ORDER BY n COLLATE numeric")
        try expect(names.last == "car 40", "\(names)")
        try connection.removeCollation(named: "numeric")
        try work.close(connection)
    }

    private static func callHooks(_ work: Workplace) throws {
        let connection = try work.open()
        var updateCount = 0
        var commitCount = 0
        connection.updateHook { _, _, _, _ in updateCount += 1 }
        connection.commitHook {
            commitCount += 1
            return false
        }
        connection.rollbackHook { updateCount = 0 }
        try connection.authorizer { action, _, _, _, _ in action == .attach ? .deny : .ok }
        try connection.busyHandler(.custom { $0 < 3 })
        try connection.run("UPDATE t SET k = 2")
        work.promise()
        try expect(updateCount == 40 && commitCount == 1, "\(updateCount), \(commitCount)")
        connection.updateHook(nil)
        try connection.authorizer(nil)
        try work.close(connection)
    }

    private static func trace(_ work: Workplace) throws {
        let connection = try work.open()
        var statements: [String] = []
        connection.trace { statements.append($0) }
        try work.expectRows(40, k: 1, in: connection)
        connection.traceEvent { statements.append("\($0)") }
        let _: [Data] = try connection.query("SELECT x FROM t")
        connection.traceEvent(closure: nil)
        try work.close(connection)
    }
}
