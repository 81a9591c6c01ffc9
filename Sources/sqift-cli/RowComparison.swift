import SQift

/// Compares the rows of two databases, value by value.
struct RowComparison {
    let source: Connection
    let copy: Connection

    /// Returns how many rows of the copy are missing, are surplus, or have another value or storage
    /// class. A missing row and a surplus one count as one difference together.
    func countDifferences(in table: Table) throws -> Int {
        let key = table.key.map { "\($0.sqift.quotedIdentifier) IS ?" }.joined(separator: " AND ")
        let find = try copy.prepare("\(table.selection) WHERE \(key)")
        var rowCount = 0
        var equalCount = 0

        try source.forEachRow(table.selection) { row in
            let original = try Cell.cells(of: row)
            rowCount += 1
            try find.bind(Array(original.prefix(table.key.count)))
            if try find.query(Cell.cells) == original {
                equalCount += 1
            }
        }

        let surplus = try table.rowCount(in: copy) - rowCount
        return rowCount - equalCount + max(0, surplus)
    }
}
