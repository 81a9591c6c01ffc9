import Foundation
import SQift

extension FuzzTarget {
    /// SQL text with parameters, through each way in. The connection stays usable, and can be
    /// closed.
    static let sql = FuzzTarget(name: "sql") { input in
        var input = input
        let flags = input.byte()
        let values = (0..<Int(flags >> 1 & 3)).map { _ in input.value() }
        let text = input.text
        var configuration = Connection.Configuration()
        configuration.hardened = flags & 1 != 0
        let connection = try Connection(storageLocation: .inMemory, configuration: configuration)
        try connection.execute(
            """
            CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c BLOB, d DEFAULT '2024-05-06', e);
            CREATE INDEX i ON t(b);
            INSERT INTO t(b, c, e) VALUES('x', x'00ff', '{"x":1}'), (NULL, 1.5, 3),
                ('a' || char(0) || 'b', 9e999, NULL)
            """
        )
        try connection.addFunction(named: "f") { (a: Int?, b: String) -> String in b }
        try connection.addCollation(named: "reversed") { $1.compare($0) }
        try connection.confine()
        let limit = StepLimit(on: connection)

        try allowingErrors { try prepareAndQuery(text, values, on: connection) }
        try allowingErrors { try connection.run(text, values) }
        try allowingErrors { try connection.execute(text, parameters: ["a": 1, "b": "x"]) }
        limit.restart()
        if connection.isInsideTransaction {
            try allowingErrors { try connection.execute("ROLLBACK") }
        }
        try expect(!connection.isInsideTransaction, "ROLLBACK doesn't end the transaction")

        try allowingErrors { try connection.transaction { try connection.execute(text) } }
        try expect(!connection.isInsideTransaction, "a transaction is left open")
        limit.restart()
        try allowingErrors {
            try connection.savepoint(named: text) { try connection.execute("SELECT 1") }
        }
        try expect(!connection.isInsideTransaction, "a savepoint is left open")
        limit.restart()
        try allowingErrors {
            _ = try connection.tableExists(text)
            _ = try connection.columns(in: text)
            _ = try connection.indexes(on: text)
            _ = try connection.foreignKeys(of: text)
            _ = try connection.triggers(on: text)
        }
        let one: Int = try connection.query("SELECT ?", 1)
        try expect(one == 1, "\(one) instead of 1")
        try connection.close()
    }

    private static func prepareAndQuery(
        _ text: String,
        _ values: [BindingValue],
        on connection: Connection
    ) throws {
        let statement = try connection.prepare(text)
        let count = statement.parameterCount
        try expect(statement.parameterNames.count == count, "another number of names")
        _ = statement.resultColumns
        _ = statement.expandedSQL
        let padded = Array((values + Array(repeating: .null, count: 10)).prefix(count))
        if count > 0, count == padded.count {
            try statement.bind(padded)
        }
        let rows: [Row] = try statement.query()
        try expect(!statement.isBusy, "a statement is left in the middle of its rows")
        for row in rows.prefix(20) {
            try readEverything(of: row)
        }
        try statement.forEachRow { try readEverything(of: $0) }
    }
}
