import SQift
import SQiftTestSupport

/// Finds where mistakes can be put into a sample program.
struct ProgramMutator {
    /// A word of SQL outside quotes, comments and interpolations.
    struct Word {
        let text: String
        /// Where it is in the source.
        let range: Range<Int>
        /// The last word in capitals before it that begins a clause: `ORDER`, `SET`.
        let clause: String
        let next: UInt8?
        let isKeyword: Bool

        var isCalled: Bool { next == UInt8(ascii: "(") }
    }

    let program: SampleProgram
    let columns: Set<String>
    let tables: Set<String>

    init(_ program: SampleProgram) throws {
        self.program = program
        let tables: [String] = try program.connection.query(
            "SELECT lower(name) FROM sqlite_schema WHERE type IN ('table', 'view')"
        )
        var columns: Set<String> = []
        for table in tables {
            let names: [String] = try program.connection.query(
                "SELECT lower(name) FROM pragma_table_info(?)",
                table
            )
            columns.formUnion(names)
        }
        self.tables = Set(tables)
        self.columns = columns
    }

    /// All changes of a kind, some of which may turn out to be right.
    func changes(
        _ kind: ProgramMistake,
        using generator: inout SeededGenerator
    ) -> [ProgramChange] {
        switch kind {
        case .columnTypo, .tableTypo, .aliasTypo, .functionTypo, .groupByTypo, .havingUnknown,
            .orderByUnknown, .updateSetWrong, .ambiguousColumn:
            names(kind, using: &generator)
        case .keywordTypo, .doubledKeyword, .reservedWord, .missingComma, .extraComma,
            .missingParenthesis, .extraParenthesis, .unterminatedString, .twoStatements:
            grammar(kind, using: &generator)
        case .insertColumnCount, .insertValueCount, .onConflictWithoutUnique, .aggregateInWhere,
            .wrongArgumentCount, .writeInRead:
            rules(kind)
        case .parameterMissing, .parameterExtra, .valueMissing, .valueExtra, .wrongNamedParameter,
            .wrongDictionaryKey:
            parameters(kind, using: &generator)
        case .closureColumnTypo, .closureIndexTooLarge, .initRowTypo, .propertyWithoutColumn,
            .wrongPropertyType, .nullIntoNonOptional, .scalarOfWrongType, .tupleTooWide,
            .selectColumnDropped:
            results(kind, using: &generator)
        case .migrationColumnTypo, .migrationTableTypo, .migrationKeywordTypo,
            .migrationFunctionTypo:
            migrations(kind, using: &generator)
        case .neededColumnLeftOut, .nullForNeededColumn, .dateForNumber, .listInBrackets:
            storedValues(kind)
        case .emptyAggregate, .lostColumn, .tupleTooNarrow, .optionalPropertyTypo:
            unreadResults(kind, using: &generator)
        case .unusedDefinitionTypo, .parentTypo, .addedColumnNotNull:
            unusedDefinitions(kind, using: &generator)
        }
    }

    // MARK: Changes

    /// A change of a statement, which is a mistake if SQLite doesn't compile it any more.
    func change(
        _ statement: SampleProgram.Statement,
        _ range: Range<Int>,
        _ new: String
    ) -> ProgramChange {
        ProgramChange(path: statement.path, range: range, new: new) {
            let raw = edited(statement.raw, statement.start, range, new)
            guard let sql = program.resolved(raw), !program.isRight(sql) else { return [] }
            return statement.lines
        }
    }

    /// A change that is a mistake by the way it was made.
    func certain(
        _ statement: SampleProgram.Statement,
        _ range: Range<Int>,
        _ new: String
    ) -> ProgramChange {
        ProgramChange(path: statement.path, range: range, new: new) { statement.lines }
    }

    /// A change of a literal's text.
    ///
    /// - Parameter start: Where the text begins in its source.
    func edited(_ raw: String, _ start: Int, _ range: Range<Int>, _ new: String) -> String {
        var bytes = Array(raw.utf8)
        bytes.replaceSubrange(range.lowerBound - start..<range.upperBound - start, with: new.utf8)
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Words

    private static let clauses: Set<String> = [
        "SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "SET", "VALUES", "INTO", "ON",
        "UPDATE",
        "LIMIT", "CONFLICT", "RETURNING",
    ]

    /// - Parameter start: Where the text begins in its source.
    func words(of raw: String, at start: Int) -> [Word] {
        let pattern = /'[^']*'|"[^"]*"|\\\([^)]*\)|--[^\n]*|[:@$?]\w*|\d\w*|[A-Za-z_]\w*/
        let bytes = Array(raw.utf8)
        var clause = ""
        return raw.matches(of: pattern).compactMap { match in
            guard match.0.first?.isLetter == true || match.0.first == "_" else { return nil }
            let text = String(match.0)
            let offset = raw[..<match.range.lowerBound].utf8.count
            let end = offset + text.utf8.count
            clause = Self.clauses.contains(text) ? text : clause
            return Word(
                text: text,
                range: start + offset..<start + end,
                clause: clause,
                next: end < bytes.count ? bytes[end] : nil,
                isKeyword: text == text.uppercased()
            )
        }
    }

    /// The word with a letter left out, doubled, changed or exchanged with the next.
    func misspelt(_ word: String, using generator: inout SeededGenerator) -> String {
        while true {
            var letters = Array(word)
            let index = Int.random(in: 0..<letters.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0 where letters.count > 2: letters.remove(at: index)
            case 1: letters.insert(letters[index], at: index)
            case 2 where index + 1 < letters.count: letters.swapAt(index, index + 1)
            default: letters[index] = word == word.uppercased() ? "Q" : "q"
            }
            let new = String(letters)
            let isKnown = columns.contains(new.lowercased()) || tables.contains(new.lowercased())
            if new != word, !isKnown, new.first?.isLetter == true {
                return new
            }
        }
    }
}
