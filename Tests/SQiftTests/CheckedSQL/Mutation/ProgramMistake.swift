import SQiftTestSupport

/// The kinds of mistakes that are put into the sample programs.
enum ProgramMistake: String, CaseIterable, Sendable {
    // Names
    case columnTypo, tableTypo, aliasTypo, functionTypo, groupByTypo, havingUnknown, orderByUnknown
    case updateSetWrong, ambiguousColumn
    // Grammar
    case keywordTypo, doubledKeyword, reservedWord, missingComma, extraComma, missingParenthesis
    case extraParenthesis, unterminatedString, twoStatements
    // What SQLite allows where
    case insertColumnCount, insertValueCount, onConflictWithoutUnique, aggregateInWhere
    case wrongArgumentCount, writeInRead
    // Parameters
    case parameterMissing, parameterExtra, valueMissing, valueExtra, wrongNamedParameter
    case wrongDictionaryKey
    // Results
    case closureColumnTypo, closureIndexTooLarge, initRowTypo, propertyWithoutColumn
    case wrongPropertyType, nullIntoNonOptional, scalarOfWrongType, tupleTooWide
    case selectColumnDropped
    // Migrations
    case migrationColumnTypo, migrationTableTypo, migrationKeywordTypo, migrationFunctionTypo
    // What is stored, and what nothing uses yet
    case neededColumnLeftOut, nullForNeededColumn, dateForNumber, listInBrackets
    case emptyAggregate, lostColumn, tupleTooNarrow, optionalPropertyTypo
    case unusedDefinitionTypo, parentTypo, addedColumnNotNull
}

/// A change of a program's source that may be a mistake.
struct ProgramChange {
    let path: String
    let range: Range<Int>
    let new: String
    /// Where it is a mistake, if it is one: what it breaks. Empty if it breaks nothing.
    let brokenLines: () -> [SourceLines]

    func description(in program: SampleProgram) -> String {
        guard let source = program.sources[path] else { return path }
        let line = source.line(of: range.lowerBound)
        return "\(program.name)/\(path):\(line): \(source.text(range)) -> \(new)"
    }

    /// The source with the mistake; nil if it isn't one.
    func mistake(in program: SampleProgram) -> MistakenSource? {
        let places = brokenLines()
        guard !places.isEmpty, let source = program.sources[path] else { return nil }
        var bytes = source.bytes
        bytes.replaceSubrange(range, with: Array(new.utf8))
        let line = source.line(of: range.lowerBound)
        return MistakenSource(
            path: path,
            text: String(decoding: bytes, as: UTF8.self),
            change: description(in: program),
            places: places + [(path, line...source.line(of: range.upperBound))]
        )
    }
}

extension SampleProgram {
    /// Whether a message is about the text of a constant, which isn't a statement of its own.
    func isConstant(at message: LintMessage) -> Bool {
        let path = message.path.hasPrefix("./") ? String(message.path.dropFirst(2)) : message.path
        return constantLines.contains { $0.path == path && $0.lines.contains(message.line) }
    }
}
