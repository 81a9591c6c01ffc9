/// The parts of a statement that are about the columns of one table.
struct StatementShape {
    /// An expression that is stored in a column, or compared with it.
    struct ColumnValue {
        /// In lower case.
        let column: String
        let expression: [SQLWord]
        let isStored: Bool
    }

    /// The table that it changes, or the only one that it reads, in lower case.
    private(set) var table: String?
    /// The columns that an INSERT names, or nil if it names none.
    private(set) var insertedColumns: [SQLWord]?
    private(set) var values: [ColumnValue] = []

    private let words: [SQLWord]
    /// Without what stands in queries in brackets.
    private let ownWords: [SQLWord]

    /// - Parameter columns: The columns of a table, if an INSERT names none.
    init(_ words: [SQLWord], columns: (String) -> [String]) {
        self.words = words
        ownWords = words.withoutInnerQueries
        switch words.verb {
        case "insert", "replace":
            table = name(after: "into")
            addInsertedValues(columns)
        case "update":
            // `UPDATE OR IGNORE cars SET …`
            let isConditional = words.dropFirst().first?.text == "or"
            table = name(at: isConditional ? 3 : 1)
        case "delete": table = name(after: "from")
        case "select":
            table = hasOneTable ? name(after: "from") : nil
        default: break
        }
        addComparedValues()
    }

    // MARK: Tables

    private func name(after keyword: String) -> String? {
        words.firstIndex { $0.text == keyword }.flatMap { name(at: $0 + 1) }
    }

    /// The name at an index, unless it is of another database.
    private func name(at index: Int) -> String? {
        guard words.indices.contains(index) else { return nil }
        let isQualified = words.dropFirst(index + 1).first?.text == "."
        return isQualified
            ? nil
            : words[index].name
    }

    private var hasOneTable: Bool {
        let from = ownWords.drop { $0.text != "from" }
        let tables = from.prefix { !["where", "group", "order", "limit"].contains($0.text) }
        return !tables.isEmpty
            && !tables.contains { [",", "join", "("].contains($0.text) }
            && !ownWords.contains(anyOf: "union", "except", "intersect")
    }

    // MARK: Values

    private mutating func addInsertedValues(_ columns: (String) -> [String]) {
        guard let table,
            let into = words.firstIndex(where: { $0.text == "into" })
        else { return }
        var index = into + 2
        var names = columns(table)
        if words.dropFirst(index).first?.text == "(" {
            let list = list(at: index)
            insertedColumns = list.items.compactMap(\.only)
            names = list.items.compactMap(\.only?.name)
            index = list.end
        }
        guard words.dropFirst(index).first?.text == "values" else { return }
        repeat {
            let row = list(at: index + 1)
            guard row.items.count == names.count else { return }
            values += zip(names, row.items).map {
                ColumnValue(column: $0, expression: $1, isStored: true)
            }
            index = row.end
        } while words.dropFirst(index).first?.text == ","
    }

    /// The items that commas divide in the brackets at an index, and the index after them.
    private func list(at start: Int) -> (items: [[SQLWord]], end: Int) {
        var depth = 0
        let closing = words.indices.dropFirst(start).first { index in
            depth += words[index].nesting
            return depth == 0
        }
        let end = closing ?? words.count
        let content = words.dropFirst(start + 1).dropLast(words.count - end)
        return (content.dividedByCommas, end + 1)
    }

    private static let wordsBeforeComparisons = "where and or not ( , set on when having".words
    private static let wordsAfterComparisons = ", ; ) and or where order limit returning".words

    /// Adds the parameters, NULLs and strings after `column =` and other comparisons, unless the
    /// column may be another table's.
    private mutating func addComparedValues() {
        let isUpdate = words.verb == "update"
        let assignments = ownWords.firstIndex { $0.text == "set" } ?? ownWords.count
        let end = ownWords.firstIndex { ["where", "returning"].contains($0.text) }
        let isOfOthers =
            isUpdate && ownWords.contains(anyOf: "from")
            || words.verb == "insert" && ownWords.contains(anyOf: "select")
        guard !isOfOthers else { return }
        for index in ownWords.indices.dropFirst(2) {
            let signs = ownWords[..<index].reversed().prefix { "=<>!".contains($0.text) }
            let left = ownWords[..<(index - signs.count)]
            let before = left.dropLast().last?.text ?? ""
            let next = ownWords.dropFirst(index + 1).first?.text ?? ";"
            guard !signs.isEmpty,
                let column = left.last,
                let name = column.name,
                !column.isText,
                StatementShape.wordsBeforeComparisons.contains(before),
                StatementShape.wordsAfterComparisons.contains(next),
                ownWords[index].isValue
            else { continue }
            let isAssigned =
                isUpdate
                && assignments < index
                && index < end ?? ownWords.count
                && ["set", ","].contains(before)
            let value = ColumnValue(
                column: name,
                expression: [ownWords[index]],
                isStored: isAssigned
            )
            values.append(value)
        }
    }
}

extension SQLWord {
    /// Whether it is a string, unless SQLite takes it for a name.
    var isText: Bool { text.first == "'" }

    /// Whether it is a value that is known where it stands.
    fileprivate var isValue: Bool {
        isParameter
            || isText
            || text == "null"
    }

    /// By how much it changes the number of open brackets.
    fileprivate var nesting: Int {
        switch text {
        case "(": 1
        case ")": -1
        default: 0
        }
    }
}

extension Array where Element == SQLWord {
    /// The words without those of queries in brackets, whose columns are others.
    fileprivate var withoutInnerQueries: [SQLWord] {
        var result: [SQLWord] = []
        var depth = 0
        var depthOfQuery: Int?
        for (current, next) in zip(self, dropFirst() + suffix(1)) {
            if depthOfQuery == nil {
                result.append(current)
            }
            depth += current.nesting
            if current.text == "(",
                ["select", "values", "with"].contains(next.text),
                depthOfQuery == nil
            {
                depthOfQuery = depth
            } else if let query = depthOfQuery, depth < query {
                result.append(current)
                depthOfQuery = nil
            }
        }
        return result
    }
}

extension Array where Element == SQLWord {
    /// What a SELECT returns, column by column.
    var selectedItems: [[SQLWord]] {
        guard verb == "select" else { return [] }
        let rest = dropFirst().drop { ["distinct", "all"].contains($0.text) }
        var depth = 0
        let list = rest.prefix { current in
            depth += current.nesting
            return depth > 0 || !["from", ";"].contains(current.text)
        }
        return list.dividedByCommas
    }
}

extension ArraySlice where Element == SQLWord {
    /// The items that commas divide, outside of brackets.
    fileprivate var dividedByCommas: [[SQLWord]] {
        var items: [[SQLWord]] = [[]]
        var depth = 0
        for current in self {
            depth += current.nesting
            if depth == 0,
                current.text == ","
            {
                items.append([])
            } else {
                items[items.count - 1].append(current)
            }
        }
        return items
    }
}
