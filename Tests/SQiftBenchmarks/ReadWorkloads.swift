import CSQift
import Foundation
import SQift

/// Two databases in memory with the same content.
func databases(_ script: String) throws -> (Raw, Connection) {
    let raw = try Raw()
    let connection = try Connection()
    try raw.execute(script)
    try connection.execute(script)
    return (raw, connection)
}

func numbers(_ count: Int) -> String {
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
}

func selectOne(_ count: Int) throws -> Sides {
    let (raw, connection) = try databases("")
    let statement = try raw.prepare("SELECT 1")
    return Sides(
        raw: {
            withExtendedLifetime(raw) {
                var sum: Int64 = 0
                for _ in 0..<count {
                    sqlite3_step(statement)
                    sum &+= sqlite3_column_int64(statement, 0)
                    sqlite3_reset(statement)
                }
                return sum
            }
        },
        sqift: {
            var sum: Int64 = 0
            for _ in 0..<count {
                sum &+= try connection.query("SELECT 1")
            }
            return sum
        }
    )
}

/// SQL with its values in its text, so that no statement is used twice.
func distinctSQL(_ count: Int) throws -> Sides {
    let (raw, connection) = try databases(
        """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER);
        INSERT INTO t \(numbers(count)) SELECT i, i * 7 FROM n
        """
    )
    let texts = (1...count).map { "SELECT a FROM t WHERE id = \($0)" }
    return Sides(
        raw: {
            var sum: Int64 = 0
            for text in texts {
                var statement: OpaquePointer?
                sqlite3_prepare_v2(raw.database, text, Int32(text.utf8.count + 1), &statement, nil)
                sqlite3_step(statement)
                sum &+= sqlite3_column_int64(statement, 0)
                sqlite3_finalize(statement)
            }
            return sum
        },
        sqift: {
            var sum: Int64 = 0
            for text in texts {
                sum &+= try connection.query(text)
            }
            return sum
        }
    )
}

func intsColumn(_ count: Int) throws -> Sides {
    let (raw, connection) = try databases(
        "CREATE TABLE t(a INTEGER); INSERT INTO t \(numbers(count)) SELECT i FROM n"
    )
    let statement = try raw.prepare("SELECT a FROM t")
    return Sides(
        raw: {
            withExtendedLifetime(raw) {
                var values: [Int64] = []
                while sqlite3_step(statement) == SQLITE_ROW {
                    values.append(sqlite3_column_int64(statement, 0))
                }
                sqlite3_reset(statement)
                return checksum(values)
            }
        },
        sqift: { checksum(try connection.query("SELECT a FROM t") as [Int64]) }
    )
}

private func checksum(_ values: [Int64]) -> Int64 {
    Int64(values.count) &* 31 &+ (values.last ?? 0)
}

private let columns = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
]

private func tenIntegers(_ count: Int) throws -> (Raw, Connection, () -> Int64) {
    let values = (0..<10).map { "i + \($0)" }.joined(separator: ", ")
    let (raw, connection) = try databases(
        """
        CREATE TABLE t(\(columns.map { "\($0) INTEGER" }.joined(separator: ", ")));
        INSERT INTO t \(numbers(count)) SELECT \(values) FROM n;
        """
    )
    let statement = try raw.prepare("SELECT * FROM t")
    return (
        raw, connection,
        {
            withExtendedLifetime(raw) {
                var sum: Int64 = 0
                while sqlite3_step(statement) == SQLITE_ROW {
                    sum &+= sqlite3_column_int64(statement, 0) &+ sqlite3_column_int64(statement, 1)
                    sum &+= sqlite3_column_int64(statement, 2) &+ sqlite3_column_int64(statement, 3)
                    sum &+= sqlite3_column_int64(statement, 4) &+ sqlite3_column_int64(statement, 5)
                    sum &+= sqlite3_column_int64(statement, 6) &+ sqlite3_column_int64(statement, 7)
                    sum &+= sqlite3_column_int64(statement, 8) &+ sqlite3_column_int64(statement, 9)
                }
                sqlite3_reset(statement)
                return sum
            }
        }
    )
}

func intsIndex(_ count: Int) throws -> Sides {
    let (_, connection, raw) = try tenIntegers(count)
    return Sides(
        raw: raw,
        sqift: {
            var sum: Int64 = 0
            try connection.forEachRow("SELECT * FROM t") { row in
                sum &+= try row.get(0)
                sum &+= try row.get(1)
                sum &+= try row.get(2)
                sum &+= try row.get(3)
                sum &+= try row.get(4)
                sum &+= try row.get(5)
                sum &+= try row.get(6)
                sum &+= try row.get(7)
                sum &+= try row.get(8)
                sum &+= try row.get(9)
            }
            return sum
        }
    )
}

func cursorInts(_ count: Int) throws -> Sides {
    let (raw, connection) = try databases(
        "CREATE TABLE t(a INTEGER); INSERT INTO t \(numbers(count)) SELECT i FROM n"
    )
    let statement = try raw.prepare("SELECT a FROM t")
    return Sides(
        raw: {
            withExtendedLifetime(raw) {
                var sum: Int64 = 0
                while sqlite3_step(statement) == SQLITE_ROW {
                    sum &+= sqlite3_column_int64(statement, 0)
                }
                sqlite3_reset(statement)
                return sum
            }
        },
        sqift: {
            var sum: Int64 = 0
            let cursor = try connection.cursor("SELECT a FROM t")
            while let row = try cursor.next() {
                sum &+= try row.get(0)
            }
            return sum
        }
    )
}

func intsName(_ count: Int) throws -> Sides {
    let (_, connection, raw) = try tenIntegers(count)
    return Sides(
        raw: raw,
        sqift: {
            var sum: Int64 = 0
            try connection.forEachRow("SELECT * FROM t") { row in
                sum &+= try row.get("alpha")
                sum &+= try row.get("beta")
                sum &+= try row.get("gamma")
                sum &+= try row.get("delta")
                sum &+= try row.get("epsilon")
                sum &+= try row.get("zeta")
                sum &+= try row.get("eta")
                sum &+= try row.get("theta")
                sum &+= try row.get("iota")
                sum &+= try row.get("kappa")
            }
            return sum
        }
    )
}

func stringsColumn(_ count: Int) throws -> Sides {
    let (raw, connection) = try databases(
        "CREATE TABLE t(a TEXT); INSERT INTO t \(numbers(count)) SELECT 'name ' || i FROM n"
    )
    let statement = try raw.prepare("SELECT a FROM t")
    func checksum(_ values: [String]) -> Int64 {
        Int64(values.count) &* 31 &+ Int64(values.last?.utf8.count ?? 0)
    }
    return Sides(
        raw: {
            withExtendedLifetime(raw) {
                var values: [String] = []
                while sqlite3_step(statement) == SQLITE_ROW {
                    values.append(rawText(statement, 0))
                }
                sqlite3_reset(statement)
                return checksum(values)
            }
        },
        sqift: { checksum(try connection.query("SELECT a FROM t")) }
    )
}

func blobsColumn(_ count: Int) throws -> Sides {
    let (raw, connection) = try databases(
        "CREATE TABLE t(a BLOB); INSERT INTO t \(numbers(count)) SELECT zeroblob(1024) FROM n"
    )
    let statement = try raw.prepare("SELECT a FROM t")
    func checksum(_ values: [Data]) -> Int64 {
        Int64(values.count) &* 31 &+ Int64(values.last?.count ?? 0)
    }
    return Sides(
        raw: {
            withExtendedLifetime(raw) {
                var values: [Data] = []
                while sqlite3_step(statement) == SQLITE_ROW {
                    let count = Int(sqlite3_column_bytes(statement, 0))
                    values.append(
                        sqlite3_column_blob(statement, 0).map { Data(bytes: $0, count: count) }
                            ?? Data()
                    )
                }
                sqlite3_reset(statement)
                return checksum(values)
            }
        },
        sqift: { checksum(try connection.query("SELECT a FROM t")) }
    )
}
