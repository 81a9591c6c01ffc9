import Foundation
import SQift
import SQiftTestSupport

/// A place in a program's sources: some lines of a file.
typealias SourceLines = (path: String, lines: ClosedRange<Int>)

/// One of the programs in `Programs`, into which mistakes are put. What is right is decided by
/// SQLite and by the text, never by the tool that is measured.
struct SampleProgram {
    /// A literal with one statement, and the call that compiles it.
    struct Statement {
        let path: String
        let literal: SwiftText.Literal
        /// The text of the literal, in which constants may be interpolated.
        let raw: String
        let method: String
        /// The brackets of the call.
        let call: (opening: Int, closing: Int)
        /// The brackets of the `bind` that follows a `prepare`.
        let binding: (opening: Int, closing: Int)?
        /// Where a mistake in it may be reported.
        let lines: [SourceLines]
        let verb: String

        var start: Int { literal.content.lowerBound }
    }

    /// A script of a migration.
    struct Step {
        let path: String
        let literal: SwiftText.Literal
        let raw: String
        let lines: SourceLines
        /// The table whose columns these are, if it is rebuilt.
        let rebuiltTable: String?
        let isTried: Bool
    }

    static let names = ["Podcasts", "Warehouse", "Notebook", "Voyages"]

    let name: String
    let sources: [String: SwiftText]
    private(set) var statements: [Statement] = []
    private(set) var steps: [Step] = []
    /// A database in which the migrations have run.
    private(set) var connection: Connection
    private let constants: [String: String]
    /// Where the constants are, whose texts are parts of statements.
    let constantLines: [SourceLines]

    static func all() throws -> [SampleProgram] {
        try names.map { try SampleProgram($0) }
    }

    init(_ name: String) throws {
        self.name = name
        let folder = packageFolder.appendingPathComponent("Tests/SQiftTests/CheckedSQL/Programs")
            .appendingPathComponent(name)
        var sources: [String: SwiftText] = [:]
        for path in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let url = folder.appendingPathComponent(path)
            sources[path] = SwiftText(try String(contentsOf: url, encoding: .utf8))
        }
        self.sources = sources
        constants = Self.constants(sources)
        constantLines = sources.flatMap { path, source in
            let all = 1...source.line(of: source.bytes.count)
            let text = source.text(0..<source.bytes.count).split(
                separator: "\n",
                omittingEmptySubsequences: false
            )
            return zip(all, text).filter { $0.1.contains(/static let \w+ = "/) }.map { number, _ in
                (path, number...number)
            }
        }
        connection = try Connection()
        for (path, source) in sources.sorted(by: { $0.key < $1.key }) {
            for literal in source.literals {
                if let step = step(literal, source, path) {
                    steps.append(step)
                }
            }
        }
        connection = try migrated().connection
        for (path, source) in sources.sorted(by: { $0.key < $1.key }) {
            for literal in source.literals {
                if let statement = statement(literal, source, path) {
                    statements.append(statement)
                }
            }
        }
    }

    /// The values of `static let`s, by their names.
    private static func constants(_ sources: [String: SwiftText]) -> [String: String] {
        var constants: [String: String] = [:]
        for source in sources.values {
            let text = source.text(0..<source.bytes.count)
            for match in text.matches(of: /static let (\w+) = "([^"\\]*)"/) {
                constants[String(match.1)] = String(match.2)
            }
        }
        return constants
    }

    // MARK: Statements

    private func statement(
        _ literal: SwiftText.Literal,
        _ source: SwiftText,
        _ path: String
    ) -> Statement? {
        let raw = source.text(literal.content)
        let verb = String(raw.split(whereSeparator: \.isWhitespace).first ?? "")
        guard ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains(verb),
            !steps.contains(where: { $0.path == path && $0.literal.range == literal.range }),
            let call = call(of: literal, source),
            let sql = resolved(raw), isRight(sql)
        else { return nil }
        let method = source.word(before: call.opening)
        guard ["run", "query", "forEachRow", "prepare", "cursor"].contains(method),
            !source.line(around: call.opening).contains("try?")
        else { return nil }
        let own = source.lines(literal.range.lowerBound, literal.range.upperBound)
        let binding = method == "prepare" ? source.binding(after: call.closing) : nil
        var lines = [(path, own), (path, source.lines(call.opening, call.closing))]
        if let binding {
            lines.append((path, source.lines(binding.opening, binding.closing)))
        }
        return Statement(
            path: path,
            literal: literal,
            raw: raw,
            method: method,
            call: call,
            binding: binding,
            lines: lines,
            verb: verb
        )
    }

    /// The call with the literal, or with the local constant that the literal is the value of.
    private func call(
        of literal: SwiftText.Literal,
        _ source: SwiftText
    ) -> (opening: Int, closing: Int)? {
        let before = source.text(0..<literal.range.lowerBound)
        guard let name = before.suffix(40).firstMatch(of: /let (\w+) = $/)?.1 else {
            guard let call = source.brackets(around: literal.range.lowerBound),
                source.elements(call.opening + 1..<call.closing).first == literal.range
            else { return nil }
            return call
        }
        let after = source.text(literal.range.upperBound..<source.bytes.count)
        guard let use = after.firstRange(of: "(\(name)") else { return nil }
        let opening = literal.range.upperBound + after[..<use.lowerBound].utf8.count
        return source.closing(of: opening).map { (opening, $0) }
    }

    /// The SQL with the values of the constants; nil if something else is interpolated.
    func resolved(_ raw: String) -> String? {
        var result = ""
        var rest = raw[...]
        while let match = rest.firstMatch(of: /\\\((?:\w+\.)*(\w+)\)/) {
            guard let value = constants[String(match.1)] else { return nil }
            result += rest[..<match.range.lowerBound] + value
            rest = rest[match.range.upperBound...]
        }
        return rest.contains("\\") ? nil : result + rest
    }

    func isRight(_ sql: String) -> Bool {
        (try? connection.prepare(sql)) != nil
    }

    func resultColumns(of statement: Statement) -> [SQift.Statement.ResultColumn] {
        let sql = resolved(statement.raw) ?? ""
        return (try? connection.prepare(sql).resultColumns) ?? []
    }

    // MARK: Migrations

    private func step(
        _ literal: SwiftText.Literal,
        _ source: SwiftText,
        _ path: String
    ) -> Step? {
        let text = source.text(0..<source.bytes.count)
        let raw = source.text(literal.content)
        let before = source.text(0..<literal.range.lowerBound)
        let isColumns = before.hasSuffix("let columns = ")
        let isScript = raw.contains(/^\s*(CREATE|ALTER|INSERT|UPDATE|DELETE|DROP)\s/)
        guard text.contains("Migration("), isColumns || isScript,
            let call = source.brackets(around: literal.range.lowerBound)
        else { return nil }
        let after = source.text(literal.range.upperBound..<source.bytes.count)
        let table = after.firstMatch(of: /rebuildTable\("(\w+)"/)?.1
        let first = isColumns ? literal.range.lowerBound : call.opening
        let last = isColumns ? literal.range.upperBound : call.closing
        return Step(
            path: path,
            literal: literal,
            raw: raw,
            lines: (path, source.lines(first, last)),
            rebuiltTable: isColumns ? table.map(String.init) : nil,
            isTried: source.line(around: call.opening).contains("try?")
        )
    }

    /// A new database after all steps, and those of them that failed.
    ///
    /// - Parameter edit: The number of a step, and another text for it.
    func migrated(
        with edit: (number: Int, raw: String)? = nil
    ) throws -> (connection: Connection, failures: Set<Int>) {
        let connection = try Connection()
        try connection.execute(
            """
            PRAGMA legacy_alter_table = ON;
            ATTACH ':memory:' AS archive;
            CREATE TABLE archive.entries(
                id INTEGER PRIMARY KEY,
                title TEXT NOT NULL,
                body TEXT NOT NULL,
                written_at TEXT NOT NULL,
                archived_at TEXT NOT NULL
            )
            """
        )
        var failures: Set<Int> = []
        var rebuilt: String?
        for (number, step) in steps.enumerated() {
            var sql = edit?.number == number ? edit?.raw ?? "" : step.raw
            if let table = step.rebuiltTable {
                rebuilt = table
                sql =
                    "ALTER TABLE \(table) RENAME TO old_\(table);\nCREATE TABLE \(table)(\(sql)\n)"
            } else if let table = rebuilt {
                sql = sql.replacingOccurrences(of: "\\(new)", with: table)
                    .replacingOccurrences(of: "\\(old)", with: "old_\(table)")
                sql += ";\nDROP TABLE old_\(table)"
                rebuilt = nil
            }
            do {
                try connection.execute(sql)
            } catch {
                failures.insert(number)
            }
        }
        return (connection, failures)
    }
}

extension SwiftText {
    func lines(_ first: Int, _ last: Int) -> ClosedRange<Int> {
        line(of: first)...line(of: last)
    }

    /// The name that ends at a byte.
    func word(before end: Int) -> String {
        let isPart = { (byte: UInt8) in UInt8(ascii: "_") == byte || byte.isLetterOrDigit }
        let start = bytes[..<end].lastIndex { !isPart($0) }.map { $0 + 1 } ?? 0
        return text(start..<end)
    }

    func line(around index: Int) -> String {
        let newline = UInt8(ascii: "\n")
        let start = bytes[..<index].lastIndex(of: newline).map { $0 + 1 } ?? 0
        return text(start..<(bytes[index...].firstIndex(of: newline) ?? bytes.count))
    }

    /// The brackets of the next `bind` in the same function.
    func binding(after index: Int) -> (opening: Int, closing: Int)? {
        let rest = text(index..<bytes.count)
        guard let use = rest.firstRange(of: ".bind("),
            !rest[..<use.lowerBound].contains("func ")
        else { return nil }
        let opening = index + rest[..<use.upperBound].utf8.count - 1
        return closing(of: opening).map { (opening, $0) }
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}
