import CSQift
import Foundation
import SQift

private struct Record: ExpressibleByRow {
    let id: Int
    let name: String
    let price: Double
    let isSold: Bool
    let built: Date

    init(id: Int, name: String, price: Double, isSold: Bool, built: Date) {
        self.id = id
        self.name = name
        self.price = price
        self.isSold = isSold
        self.built = built
    }

    init(row: Row) throws {
        id = try row.get("id")
        name = try row.get("name")
        price = try row.get("price")
        isSold = try row.get("is_sold")
        built = try row.get("built")
    }

    var checksum: Int64 {
        Int64(id) &+ Int64(name.utf8.count) &+ Int64(price) &+ (isSold ? 1 : 0)
            &+ Int64(built.timeIntervalSince1970 * 1000)
    }

    static func checksum(_ records: [Record]) -> Int64 {
        records.reduce(0) { $0 &+ $1.checksum }
    }
}

/// The same row without an initialiser of its own.
private struct DecodedRecord: Decodable, ExpressibleByRow {
    static let columnNamesAreSnakeCase = true

    let id: Int
    let name: String
    let price: Double
    let isSold: Bool
    let built: Date

    var record: Record {
        Record(id: id, name: name, price: price, isSold: isSold, built: built)
    }
}

private let recordSQL = "SELECT id, name, price, is_sold, built FROM t"

/// Reads five columns into records: on SQift's side by `read`.
private func records(
    _ count: Int,
    read: @escaping (Connection) throws -> Int64
) throws -> Sides {
    let (raw, connection) = try databases(
        """
        CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, price REAL, is_sold INTEGER, built TEXT);
        INSERT INTO t \(numbers(count))
        SELECT
            i,
            'name ' || i,
            i * 0.5,
            i % 2,
            strftime('%Y-%m-%dT%H:%M:%f', i * 1000, 'unixepoch')
        FROM n;
        """
    )
    let statement = try raw.prepare(recordSQL)
    return Sides(
        raw: {
            withExtendedLifetime(raw) {
                var records: [Record] = []
                while sqlite3_step(statement) == SQLITE_ROW {
                    let date = sqlite3_column_text(statement, 4).map { rawDate($0) } ?? 0
                    records.append(
                        Record(
                            id: Int(sqlite3_column_int64(statement, 0)),
                            name: rawText(statement, 1),
                            price: sqlite3_column_double(statement, 2),
                            isSold: sqlite3_column_int64(statement, 3) != 0,
                            built: Date(timeIntervalSince1970: date)
                        )
                    )
                }
                sqlite3_reset(statement)
                return Record.checksum(records)
            }
        },
        sqift: { try read(connection) }
    )
}

func structs(_ count: Int) throws -> Sides {
    try records(count) { Record.checksum(try $0.query(recordSQL)) }
}

func structsCodable(_ count: Int) throws -> Sides {
    try records(count) { connection in
        let records: [DecodedRecord] = try connection.query(recordSQL)
        return records.reduce(0) { $0 &+ $1.record.checksum }
    }
}

func structsTuple(_ count: Int) throws -> Sides {
    try records(count) { connection in
        let rows = try connection.query(
            recordSQL,
            as: (Int, String, Double, Bool, Date).self
        )
        return rows.reduce(0) { sum, row in
            let record = Record(id: row.0, name: row.1, price: row.2, isSold: row.3, built: row.4)
            return sum &+ record.checksum
        }
    }
}

private struct Product: ExpressibleByRow {
    let id: Int
    let name: String
    let price: Double

    init(id: Int, name: String, price: Double) {
        self.id = id
        self.name = name
        self.price = price
    }

    init(row: Row) throws {
        id = try row.get(0)
        name = try row.get(1)
        price = try row.get(2)
    }

    static func checksum(_ products: [Product]) -> Int64 {
        products.reduce(0) {
            $0 &+ Int64($1.id) &+ Int64($1.name.utf8.count) &+ Int64($1.price)
        }
    }
}

func rowsToStructs(_ count: Int) throws -> Sides {
    let (raw, connection) = try databases(
        """
        CREATE TABLE t(id INTEGER, name TEXT, price REAL);
        INSERT INTO t \(numbers(count)) SELECT i, 'the name of ' || i, i * 0.25 FROM n;
        """
    )
    let sql = "SELECT id, name, price FROM t"
    let statement = try raw.prepare(sql)
    return Sides(
        raw: {
            withExtendedLifetime(raw) {
                var products: [Product] = []
                while sqlite3_step(statement) == SQLITE_ROW {
                    products.append(
                        Product(
                            id: Int(sqlite3_column_int64(statement, 0)),
                            name: rawText(statement, 1),
                            price: sqlite3_column_double(statement, 2)
                        )
                    )
                }
                sqlite3_reset(statement)
                return Product.checksum(products)
            }
        },
        sqift: { Product.checksum(try connection.query(sql)) }
    )
}
