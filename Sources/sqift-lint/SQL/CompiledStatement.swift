/// What SQLite says of a statement.
struct CompiledStatement {
    struct Column {
        let name: String
        /// The column of a table that it is, if it is one and SQLite's build can tell.
        let origin: Origin?
    }

    struct Origin {
        let table: String
        let column: String
        /// The declared type: `VARCHAR(20)`.
        let declaredType: String
        let isNotNull: Bool
        let isRowID: Bool

        /// Whether it holds every number as text. <https://sqlite.org/datatype3.html>
        var isText: Bool {
            let type = declaredType.uppercased()
            return !type.contains("INT")
                && ["CHAR", "CLOB", "TEXT"].contains(where: type.contains)
        }
    }

    /// The names with their prefixes; nil for a parameter that has none.
    let parameters: [String?]
    let columns: [Column]
    let isReadOnly: Bool
    /// Its first byte and the byte after it.
    let range: Range<Int>

    /// The names without their prefixes.
    var parameterNames: [String] {
        parameters.compactMap { $0.map { String($0.dropFirst()) } }
    }
}

extension CompiledStatement {
    /// As far as the text says it: with the parameters, numbered as SQLite does.
    /// <https://sqlite.org/lang_expr.html#parameters>
    init(_ words: [SQLWord]) {
        var parameters: [String?] = []
        for text in words.filter({ $0.kind == .parameter }).map(\.text) {
            if text == "?" {
                parameters.append(nil)
            } else if let number = Int(text.dropFirst()),
                text.hasPrefix("?")
            {
                while parameters.count < min(number, 32_766) {
                    parameters.append(nil)
                }
                if parameters.indices.contains(number - 1) {
                    parameters[number - 1] = text
                }
            } else if !parameters.contains(text) {
                parameters.append(text)
            }
        }
        self.init(parameters: parameters, columns: [], isReadOnly: true, range: 0..<0)
    }
}
