import Foundation

/// Prints rows with the same number of cells. The first column is aligned left, the others right.
func printTable(_ rows: [[String]]) {
    let columnCount = rows.first?.count ?? 0
    let widths = (0..<columnCount).map { column in
        rows.map { $0[column].count }.max() ?? 0
    }
    for row in rows {
        let cells = row.enumerated().map { column, cell in
            let padding = String(repeating: " ", count: widths[column] - cell.count)
            return column == 0 ? cell + padding : padding + cell
        }
        print(cells.joined(separator: "  "))
    }
}

/// Returns a line for each pair, with the second strings aligned in a column.
func columns(_ pairs: [(String, String)]) -> String {
    let lines = pairs.map { first, second in
        "  " + first.padding(toLength: 26, withPad: " ", startingAt: 0) + second + "\n"
    }
    return lines.joined()
}

/// `1 row`, `2 rows`.
func counted(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}
