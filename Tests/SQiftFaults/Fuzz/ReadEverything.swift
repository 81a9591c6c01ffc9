import Foundation
import SQift

/// A type that is stored as JSON.
struct Note: CodableBinding, Equatable {
    var text: String
    var numbers: [Double]
    var inner: [String: [Int?]]?
}

/// A row with a value of each kind, and with a nested type.
struct AnyRecord: Decodable, ExpressibleByRow {
    struct Nested: Decodable {
        let x: Int
        let y: [String]?
    }

    let a: Int?
    let b: String?
    let c: Data?
    let d: Date?
    let e: Nested?
}

/// Reads each column of a row as every type. Values that don't fit throw, and never trap.
func readEverything(of row: Row) throws {
    for index in 0..<row.columnCount {
        let value = try row.bindingValue(at: index)
        try expect(!value.description.isEmpty, "a value without a description")
        try allowingErrors { _ = try row.get(index) as String }
        try allowingErrors { _ = try row.get(index) as Data }
        try allowingErrors { _ = try row.get(index) as Int }
        try allowingErrors { _ = try row.get(index) as Int8? }
        try allowingErrors { _ = try row.get(index) as UInt64 }
        try allowingErrors { _ = try row.get(index) as Double }
        try allowingErrors { _ = try row.get(index) as Float }
        try allowingErrors { _ = try row.get(index) as Bool }
        try allowingErrors { _ = try row.get(index) as Date }
        try allowingErrors { _ = try row.get(index) as UUID }
        try allowingErrors { _ = try row.get(index) as URL }
        try allowingErrors { _ = try row.get(index) as Decimal }
        try allowingErrors { _ = try row.get(index) as Note? }
        try allowingErrors { try row.withUnsafeBytes(at: index) { _ = $0.count } }
        _ = row[index] as String?
    }
    try allowingErrors { _ = try AnyRecord(row: row) }
    try expect(!row.description.isEmpty, "a row without a description")
    try expect(row.detached().columns.count == row.columnCount, "a row has lost a column")
}
