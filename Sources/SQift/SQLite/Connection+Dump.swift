extension Connection {
    /// Runs a statement, and writes its result as a table in aligned columns, for a test or a
    /// report.
    ///
    /// ```swift
    /// var text = ""
    /// try connection.dump("SELECT name, price FROM cars WHERE price < ?", 60_000, to: &text)
    /// ```
    ///
    /// ```text
    /// name    price
    /// 'Audi'  52642
    /// 'Lada'  1500.0
    /// ```
    ///
    /// Values are written as SQL literals, which show how they are stored: `NULL`, `1` (INTEGER),
    /// `1.0` (REAL), `'1'` (TEXT), `x'31'` (BLOB). All rows are in memory meanwhile.
    ///
    /// - Throws: ``SQLiteError``
    public func dump(
        _ sql: SQL,
        _ parameters: (any Bindable)?...,
        to output: inout some TextOutputStream
    ) throws {
        let statement = try prepare(sql).bind(parameters)
        let rows: [[String]] = try statement.query { $0.columns.map(\.bindingValue.description) }
        // Counting the characters of a long cell takes time.
        let table = ([statement.columnNames] + rows).map { cells in
            cells.map { (text: $0, width: $0.count) }
        }
        let widths = table[0].indices.map { column in
            table.map { $0[column].width }.max() ?? 0
        }
        for cells in table {
            var line = ""
            for (column, cell) in cells.enumerated() {
                line += cell.text
                if column < cells.count - 1 {
                    line += String(repeating: " ", count: widths[column] - cell.width + 2)
                }
            }
            output.write(line + "\n")
        }
    }
}
