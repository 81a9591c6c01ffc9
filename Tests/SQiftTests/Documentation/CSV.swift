import Foundation
import SQift

/// The row as a line of CSV. NULL is an empty field, and an empty string is `""`.
nonisolated func csvLine(of row: Row) throws -> String {
    let fields = try (0..<row.columnCount).map { index in
        switch try row.bindingValue(at: index) {
        case .null: ""
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
        case .blob(let data): data.base64EncodedString()
        }
    }
    return fields.joined(separator: ",") + "\r\n"
}

/// The rows of CSV, as the values of their fields.
nonisolated func csvRows(of text: String) -> [[String]] {
    var rows: [[String]] = []
    var fields: [String] = []
    var field = ""
    var isQuoted = false
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars + ["\n"] {
        switch scalar {
        case "\"":
            isQuoted.toggle()
            // A doubled quote closes the quotes and opens them again: it means one quote.
            if isQuoted && previous == "\"" {
                field.unicodeScalars.append(scalar)
            }
        case _ where isQuoted: field.unicodeScalars.append(scalar)
        case ",", "\n":
            fields.append(field)
            field = ""
        case "\r": break
        default: field.unicodeScalars.append(scalar)
        }
        if scalar == "\n", !isQuoted {
            rows += fields == [""] ? [] : [fields]
            fields = []
        }
        previous = scalar
    }
    return rows
}
