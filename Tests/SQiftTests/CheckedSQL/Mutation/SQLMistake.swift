import SQiftTestSupport

/// The kinds of mistakes that are put into sources, to see whether they are found.
enum SQLMistake: String, CaseIterable, Sendable {
    case misspeltColumn, misspeltTable, missingComma, changedColumn, wrongParameterCount
    case missingStructColumn, nullIntoNonOptional, misspeltFunction, reservedWord, wrongOrder

    /// Whether the grammar, or the call alone, shows it, without a schema.
    var needsNoSchema: Bool {
        switch self {
        case .missingComma, .wrongParameterCount, .misspeltFunction, .reservedWord: true
        default: false
        }
    }
}

/// A source with a mistake.
struct MistakenSource {
    let path: String
    let text: String
    /// What was changed.
    let change: String
    /// Where it may be reported: the lines of the statements that it breaks, by path.
    let places: [(path: String, lines: ClosedRange<Int>)]

    func mayBeReported(at message: LintMessage) -> Bool {
        let path = message.path.hasPrefix("./") ? String(message.path.dropFirst(2)) : message.path
        return places.contains { $0.path == path && $0.lines.contains(message.line) }
    }
}
