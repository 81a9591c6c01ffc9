import Foundation
import SQift
import Testing

// SQLite's facilities, used as with SQift 5.1.
struct FacilityTests {
    private let connection: Connection

    init() throws {
        connection = try Connection(storageLocation: .inMemory)
        try connection.execute(
            "CREATE TABLE agents(id INTEGER PRIMARY KEY, name TEXT NOT NULL, missions INTEGER)"
        )
    }

    @Test func traceAndTraceEvents() throws {
        var traced: [String] = []
        connection.trace { sql in traced.append(sql) }
        try connection.run("INSERT INTO agents(name, missions) VALUES(?, ?)", "Sterling", 485)
        connection.trace(nil)
        #expect(traced == ["INSERT INTO agents(name, missions) VALUES('Sterling', 485)"])

        var statements: [SQL] = []
        var closed: [OpaquePointer] = []
        let mask = Connection.TraceEvent.statementMask | Connection.TraceEvent.connectionClosedMask
        connection.traceEvent(mask: mask) { event in
            switch event {
            case let .statement(statement, sql): statements.append("\(statement) = \(sql)")
            case let .profile(statement, seconds): Issue.record("\(statement) \(seconds)")
            case let .row(statement): Issue.record("\(statement)")
            case let .connectionClosed(connection): closed.append(connection)
            }
        }
        let _: Int? = try connection.query("SELECT missions FROM agents WHERE name = ?", "Sterling")
        #expect(statements.count == 1)
        connection.traceEvent { event in print(event.description) }
        connection.traceEvent(closure: nil)
    }

    @available(*, deprecated)
    @Test func collation() throws {
        connection.createCollation(named: "NODIACRITIC") { lhs, rhs in
            return lhs.compare(rhs, options: .diacriticInsensitive)
        }
        let collation: Connection.Collation = { $0.compare($1, options: .numeric) }
        connection.createCollation(named: "NUMERIC", collate: collation)
        for name in ["b10", "b9"] {
            try connection.run("INSERT INTO agents(name) VALUES(?)", name)
        }
        let names: [String] = try connection.query(
            "SELECT name FROM agents ORDER BY name COLLATE NUMERIC"
        )
        #expect(names == ["b9", "b10"])
    }

    @Test func aReleasedConnectionIsReportedAsClosed() throws {
        var closed: [OpaquePointer] = []
        var rows: [String] = []
        func useAndRelease() throws {
            let connection = try Connection(storageLocation: .inMemory)
            connection.traceEvent { event in
                switch event {
                case .statement, .profile: break
                case .row(let statement): rows.append(statement)
                case .connectionClosed(let connection): closed.append(connection)
                }
            }
            try connection.execute("CREATE TABLE t(x)")
            let _: Int? = try connection.query("SELECT ?", 7)
        }
        try useAndRelease()
        #expect(closed.count == 1)
        #expect(rows == ["SELECT 7"])
    }

    @available(*, deprecated)
    @Test func auxiliaryDataByItsOldName() throws {
        func count(in data: Connection.ScalarFunctionContext.AuxilaryData) -> Int {
            return (data[0] as? NSNumber)?.intValue ?? 0
        }
        try connection.addScalarFunction(named: "calls", argumentCount: 1) { context, _ in
            let count = count(in: context.auxilaryData) + 1
            context.auxilaryData[0] = NSNumber(value: count)
            return .integer(Int32(count))
        }
        let counts: [Int] = try connection.query(
            "SELECT calls('a') FROM (SELECT 1 UNION ALL SELECT 2)"
        )
        #expect(counts == [1, 2])
    }

    @Test func profilesAreMatchedAsBefore() throws {
        var profiles: [String] = []
        connection.traceEvent(mask: Connection.TraceEvent.profileMask) { event in
            guard case .profile(let statement, let seconds) = event else { return }
            if seconds >= 0 {
                profiles.append(statement)
            }
        }
        try connection.run("INSERT INTO agents(name) VALUES(?)", "Sterling")
        #expect(profiles == ["INSERT INTO agents(name) VALUES('Sterling')"])
    }

    @Test func hooks() throws {
        var heard: [String] = []
        var shouldCancelCommit = false
        connection.updateHook { type, databaseName, tableName, rowID in
            heard.append("\(type) \(databaseName ?? "") \(tableName ?? "") \(rowID)")
        }
        connection.commitHook {
            heard.append("commit")
            return shouldCancelCommit
        }
        connection.rollbackHook { heard.append("rollback") }
        try connection.run("INSERT INTO agents(name) VALUES('a')")
        shouldCancelCommit = true
        #expect(throws: SQLiteError.self) { try connection.run("UPDATE agents SET name = 'b'") }
        connection.updateHook(nil)
        connection.commitHook(nil)
        connection.rollbackHook(nil)
        try connection.run("DELETE FROM agents WHERE id = 1")
        #expect(
            heard == [
                "insert main agents 1", "commit", "update main agents 1", "commit", "rollback",
            ]
        )
        let type = Connection.UpdateHookType.delete
        #expect(type == .delete)
    }

    @Test func authorizer() throws {
        try connection.authorizer { action, p1, p2, p3, p4 in
            switch action {
            case .select, .read, .function, .recursive: return .ok
            case .pragma: return .ignore
            case .attach: return .custom(Int32(42))
            default: return .deny
            }
        }
        let error = expectError { try connection.run("DELETE FROM agents") }
        #expect(error?.code == 23)
        let count: Int? = try connection.query("SELECT count(*) FROM agents")
        #expect(count == 0)
        let none: Connection.Authorizer? = nil
        try connection.authorizer(none)
        try connection.run("DELETE FROM agents")
    }

    @Test func busyHandlerAndCheckpoint() throws {
        try connection.busyHandler(.timeout(1.0))
        try connection.busyHandler(.custom { invocationCount in invocationCount < 3 })
        try connection.busyHandler(.defaultBehavior)
        let result: Connection.CheckpointResult = try connection.checkpoint()
        #expect(result.logFrames == -1)
        #expect(result.checkpointedFrames == -1)
        for mode: Connection.CheckpointMode in [.passive, .full, .restart, .truncate] {
            let result = try connection.checkpoint(attachedDatabaseName: nil, mode: mode)
            print(result.logFrames)
        }
    }

    @available(*, deprecated)
    @Test func scalarFunction() throws {
        try connection.addScalarFunction(named: "shout", argumentCount: 1, deterministic: true) {
            context,
            values in
            guard let value = values.first, value.isText else { return .null }
            if let kept = context.auxilaryData[0] as? NSString {
                return .text(kept as String)
            }
            let shout = value.text.uppercased() + "!"
            context.auxilaryData[0] = shout as NSString
            return .text(shout)
        }
        try connection.addScalarFunction(named: "kinds", argumentCount: -1) { _, values in
            let kinds: [String] = values.map { value in
                switch value.type {
                case .null: return "null \(value.isNull)"
                case .integer: return "integer \(value.integer) \(value.long)"
                case .double: return "double \(value.double)"
                case .text: return "text \(value.text) \(value.numericType) \(value.date != nil)"
                case .data: return "data \(value.data.count) \(value.buffer.count)"
                }
            }
            return .text(kinds.joined(separator: ", "))
        }
        let shout: String? = try connection.query("SELECT shout('hello')")
        #expect(shout == "HELLO!")
        let kinds: String? = try connection.query("SELECT kinds(NULL, 7, 1.5, '12', x'00ff')")
        #expect(kinds == "null true, integer 7 7, double 1.5, text 12 integer false, data 2 2")
        try connection.removeFunction(named: "shout", argumentCount: 1)
        #expect(
            expectError { let _: String? = try connection.query("SELECT shout('hello')") } != nil
        )
    }

    @Test(arguments: [
        (Connection.FunctionResult.null, "null"), (.integer(1), "integer"), (.long(1), "integer"),
        (.double(1), "real"),
        (.text("a"), "text"), (.date(Date()), "text"), (.data(Data([1])), "blob"),
        (.zeroData(2), "blob"),
    ])
    func functionResults(result: Connection.FunctionResult, type: String) throws {
        try connection.addScalarFunction(named: "result", argumentCount: 0) { _, _ in result }
        let found: String? = try connection.query("SELECT typeof(result())")
        #expect(found == type)
    }

    @Test func functionErrors() throws {
        try connection.addScalarFunction(named: "fails", argumentCount: 0) { _, _ in
            .error(message: "no", code: nil)
        }
        let error = expectError { try connection.run("SELECT fails()") }
        #expect(error?.code == 1)
        #expect(error?.message == "no")
        try connection.addScalarFunction(named: "fails", argumentCount: 0) { _, _ in
            .error(message: "no", code: 19)
        }
        #expect(expectError { try connection.run("SELECT fails()") }?.code == 19)
    }

    @Test func aggregateFunction() throws {
        class Sum { var value: Int64 = 0 }
        try connection.addAggregateFunction(
            named: "total_missions",
            argumentCount: 1,
            contextObjectFactory: { Sum() },
            stepFunction: { context, values in
                guard let sum = context.stepObject as? Sum, values[0].isInteger else { return }
                sum.value += values[0].long
            },
            finalFunction: { context in
                guard let sum = context.finalObject as? Sum else { return .null }
                return .long(sum.value)
            }
        )
        for missions in [1, 20, 300] {
            try connection.run("INSERT INTO agents(name, missions) VALUES('a', ?)", missions)
        }
        let total: Int64? = try connection.query("SELECT total_missions(missions) FROM agents")
        #expect(total == 321)
        let none: Int64? = try connection.query(
            "SELECT total_missions(missions) FROM agents WHERE 0"
        )
        #expect(none == nil)
    }

    @Test func interrupt() throws {
        try connection.addScalarFunction(named: "stop", argumentCount: 0) {
            [unowned connection] _, _ in
            connection.interrupt()
            return .null
        }
        #expect(
            expectError { try connection.run("SELECT stop() FROM (SELECT 1 UNION ALL SELECT 2)") }?
                .code == 9
        )
    }

    private func expectError(_ body: () throws -> Void) -> SQLiteError? {
        do {
            try body()
            return nil
        } catch {
            return error as? SQLiteError
        }
    }
}
