import Foundation

/// The values that a detached row owns.
@usableFromInline final class StoredRow {
    let names: [String]
    let values: [BindingValue]
    /// The bytes of each TEXT that isn't UTF-8, by its index. In `values` it is repaired.
    private(set) var malformedTexts: [Int: Data] = [:]
    let sql: SQL?

    /// Copies these columns of a row.
    init(_ columns: some Collection<Int>, of row: Row) throws {
        let all = row.columnNames
        names = columns.count == all.count ? all : columns.map { all[$0] }
        values = try columns.map(row.copiedValue)
        sql = row.sql
        for (index, column) in columns.enumerated() {
            malformedTexts[index] = try row.malformedText(at: column)
        }
    }
}
