import Foundation
import SQift
import SQiftTestSupport

/// Puts mistakes into the sources of a corpus. Each is one that SQLite, or SQift, would refuse when
/// the program runs.
struct SQLMutator {
    let corpus: SQLCorpus
    let columns: Set<String>
    let tables: Set<String>

    init(_ corpus: SQLCorpus) {
        self.corpus = corpus
        // Without the tables of SQLite, of SQift and of the full-text index.
        let tables = corpus.texts(
            """
            SELECT lower(name) FROM sqlite_schema
            WHERE type IN ('table', 'view') AND name NOT LIKE 'sq%' AND name NOT LIKE '%index%'
            """
        )
        let columns = tables.map { table in
            corpus.texts("SELECT lower(name) FROM pragma_table_info('\(table)')")
        }
        self.tables = tables
        self.columns = columns.reduce(into: []) { $0.formUnion($1) }
    }

    /// All mistakes of a kind that can be made.
    func mistakes(_ kind: SQLMistake, using generator: inout SeededGenerator) -> [MistakenSource] {
        switch kind {
        case .misspeltColumn: words(in: columns, isFunction: false, using: &generator, misspelt)
        case .misspeltTable: words(in: tables, isFunction: false, using: &generator, misspelt)
        case .misspeltFunction: words(in: nil, isFunction: true, using: &generator, misspelt)
        case .reservedWord: words(in: nil, isFunction: false, using: &generator, reserved)
        case .missingComma: missingCommas
        case .wrongParameterCount: wrongCounts
        case .changedColumn: changedColumns
        case .missingStructColumn: missingColumns
        case .nullIntoNonOptional: nonOptionals
        case .wrongOrder: wrongOrders
        }
    }

    /// A source in which these bytes are replaced, with the statement where that may be reported.
    func mistake(
        _ statement: SQLCorpus.Statement,
        _ range: Range<Int>,
        _ new: String
    ) -> MistakenSource? {
        mistake(statement.path, [(range, new)], [(statement.path, statement.lines)])
    }

    /// - Parameter edits: In their order.
    func mistake(
        _ path: String,
        _ edits: [(range: Range<Int>, new: String)],
        _ places: [(path: String, lines: ClosedRange<Int>)],
        _ change: String? = nil
    ) -> MistakenSource? {
        guard let source = corpus.sources[path] else { return nil }
        var bytes = source.bytes
        for edit in edits.reversed() {
            bytes.replaceSubrange(edit.range, with: Array(edit.new.utf8))
        }
        let line = source.line(of: edits[0].range.lowerBound)
        let old = source.text(edits[0].range)
        return MistakenSource(
            path: path,
            text: String(decoding: bytes, as: UTF8.self),
            change: "\(path):\(line): \(change ?? "\(old) -> \(edits[0].new)")",
            places: places
        )
    }

    /// The statement's SQL with a change.
    private func sql(
        _ statement: SQLCorpus.Statement,
        _ range: Range<Int>,
        _ new: String
    ) -> String {
        let start = statement.literal.content.lowerBound
        var bytes = Array(statement.sql.utf8)
        bytes.replaceSubrange(range.lowerBound - start..<range.upperBound - start, with: new.utf8)
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Words

    /// The words of a statement's SQL, outside quotes and comments.
    private func words(of statement: SQLCorpus.Statement) -> [(text: String, range: Range<Int>)] {
        let start = statement.literal.content.lowerBound
        let pattern = /'[^']*'|"[^"]*"|--[^\n]*|[:@$?]\w*|\d\w*|[A-Za-z_]\w*/
        return statement.sql.matches(of: pattern).compactMap { match in
            guard match.0.first?.isLetter == true || match.0.first == "_" else { return nil }
            let offset = start + statement.sql[..<match.range.lowerBound].utf8.count
            return (String(match.0), offset..<offset + match.0.utf8.count)
        }
    }

    private func words(
        in names: Set<String>?,
        isFunction: Bool,
        using generator: inout SeededGenerator,
        _ change: (String, inout SeededGenerator) -> String
    ) -> [MistakenSource] {
        var result: [MistakenSource] = []
        for statement in corpus.statements {
            guard let source = corpus.sources[statement.path] else { continue }
            for (text, range) in words(of: statement) {
                let isCalled = source.bytes[range.upperBound] == UInt8(ascii: "(")
                let isKeyword = text == text.uppercased()
                guard isCalled == isFunction, !isKeyword,
                    names.map({ $0.contains(text.lowercased()) }) ?? true
                else { continue }
                let new = change(text, &generator)
                // An unknown function of two letters isn't like any other, and may be the app's.
                guard !isFunction || new.count > 2 else { continue }

                if !corpus.isRight(sql(statement, range, new)) {
                    result += [mistake(statement, range, new)].compactMap { $0 }
                }
            }
        }
        return result
    }

    /// The word with a letter left out, doubled, changed or exchanged with the next.
    private func misspelt(_ word: String, using generator: inout SeededGenerator) -> String {
        let known = columns.union(tables)
        while true {
            var letters = Array(word)
            let index = Int.random(in: 0..<letters.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0 where letters.count > 2: letters.remove(at: index)
            case 1: letters.insert(letters[index], at: index)
            case 2 where index + 1 < letters.count: letters.swapAt(index, index + 1)
            default: letters[index] = "q"
            }
            let new = String(letters)
            if new != word, !known.contains(new.lowercased()), new.first?.isLetter == true {
                return new
            }
        }
    }

    private func reserved(_ word: String, using generator: inout SeededGenerator) -> String {
        let words = ["order", "group", "table", "select", "where", "from", "index", "join", "to"]
        return words.randomElement(using: &generator) ?? "order"
    }

    // MARK: Commas and parameters

    private var missingCommas: [MistakenSource] {
        corpus.statements.flatMap { statement -> [MistakenSource] in
            let start = statement.literal.content.lowerBound
            let columns = corpus.columns(of: statement.sql)
            return statement.sql.utf8.enumerated().compactMap { index, byte in
                guard byte == UInt8(ascii: ",") else { return nil }
                let range = start + index..<start + index + 1
                let new = sql(statement, range, "")
                // Where it only makes an alias, the result has less columns.
                let isMistake =
                    !corpus.isRight(new)
                    || corpus.connection != nil && corpus.columns(of: new) != columns
                return isMistake ? mistake(statement, range, "") : nil
            }
        }
    }

    /// One value is added or taken away, or one parameter becomes a constant.
    private var wrongCounts: [MistakenSource] {
        corpus.statements.flatMap { statement -> [MistakenSource] in
            guard let source = corpus.sources[statement.path] else { return [] }
            let call = statement.call.opening + 1..<statement.call.closing
            let arguments = source.elements(call).dropFirst()
            let texts = arguments.map(source.text)
            let isPlain = texts.allSatisfy { !$0.contains(":") && !"[{.".contains($0.prefix(1)) }
            guard isPlain, let last = arguments.last else { return [] }
            var result = [mistake(statement, last.upperBound..<last.upperBound, ", 0")]
            if arguments.count != 2 {
                let start =
                    arguments.dropLast().last?.upperBound ?? statement.literal.range.upperBound
                result.append(mistake(statement, start..<last.upperBound, ""))
            }
            let mark = Array(statement.sql.utf8).firstIndex(of: UInt8(ascii: "?"))
            if arguments.count > 1, let mark, !statement.sql.contains("?1") {
                let start = statement.literal.content.lowerBound + mark
                result.append(mistake(statement, start..<start + 1, "7"))
            }
            return result.compactMap { $0 }
        }
    }
}
