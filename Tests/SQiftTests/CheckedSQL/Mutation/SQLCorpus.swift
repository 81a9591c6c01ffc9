import Foundation
import SQift
import SQiftTestSupport

/// Sources with SQL that is right, into which mistakes are put.
struct SQLCorpus {
    /// A literal with one statement, in the call that runs it.
    struct Statement {
        let path: String
        let literal: SwiftText.Literal
        let sql: String
        /// The brackets of the call.
        let call: (opening: Int, closing: Int)
        /// The lines of the call.
        let lines: ClosedRange<Int>

        var isQuery: Bool { sql.split(whereSeparator: \.isWhitespace).first == "SELECT" }
    }

    let name: String
    let sources: [String: SwiftText]
    /// A database with the schema of the sources; nil if they have none.
    let connection: Connection?
    private(set) var statements: [Statement] = []

    init(_ name: String, _ texts: [String: String], _ connection: Connection?) {
        self.name = name
        self.connection = connection
        sources = texts.mapValues { SwiftText($0) }
        for (path, source) in sources.sorted(by: { $0.key < $1.key }) {
            for literal in source.literals {
                add(literal, of: source, at: path)
            }
        }
    }

    private mutating func add(
        _ literal: SwiftText.Literal,
        of source: SwiftText,
        at path: String
    ) {
        let sql = source.text(literal.content)
        let verb = sql.split(whereSeparator: \.isWhitespace).first ?? ""
        guard ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains(verb), !sql.contains("\\"),
            let call = source.brackets(around: literal.range.lowerBound),
            source.elements(call.opening + 1..<call.closing).first == literal.range,
            isRight(sql)
        else { return }
        let first = source.line(of: call.opening)
        statements.append(
            Statement(
                path: path,
                literal: literal,
                sql: sql,
                call: call,
                lines: first...source.line(of: call.closing)
            )
        )
    }

    /// Whether SQLite compiles a statement. Without a schema only its grammar is known.
    func isRight(_ sql: String) -> Bool {
        do {
            _ = try (connection ?? Connection()).prepare(sql)
            return true
        } catch let error as SQLiteError {
            let grammar = ["syntax error", "incomplete input", "unrecognized token"]
            let message = error.message
            return connection == nil && !grammar.contains { message.contains($0) }
                && !message.hasPrefix("no such function")
        } catch {
            return false
        }
    }

    /// The names of a statement's result columns; empty if it is wrong.
    func columns(of sql: String) -> [String] {
        (try? connection?.prepare(sql).resultColumns.map(\.name)) ?? []
    }

    func texts(_ sql: String) -> Set<String> {
        Set((try? connection?.query(sql) as [String]?) ?? [])
    }

    // MARK: The corpora

    static func tutorial() throws -> SQLCorpus {
        let connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT NOT NULL, year INTEGER);
            CREATE TABLE repairs(
                car INTEGER NOT NULL REFERENCES cars(id),
                day TEXT NOT NULL,
                cents INTEGER NOT NULL
            )
            """
        )
        let files = try swiftFiles(in: "Tests/Tutorial/Sources/GarageKit")
        return SQLCorpus("tutorial", files, connection)
    }

    static func application(in folder: TemporaryFolder) throws -> SQLCorpus {
        let library = try MusicLibrary(path: folder.path())
        try library.database.close()
        let connection = try folder.connection()
        try connection.addFunction(named: "duration") { (seconds: Int) in "\(seconds)" }
        try connection.addCollation(named: "WITHOUT_ARTICLE") { $0.compare($1) }
        let files = try swiftFiles(in: "Tests/SQiftTests/CheckedSQL/Application")
        return SQLCorpus("application", files, connection)
    }

    /// The blocks of the documents. Each is a file, and each page a corpus.
    static func documents() throws -> [SQLCorpus] {
        let folder = packageFolder.appendingPathComponent("Docs")
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try pages.sorted().filter { $0.hasSuffix(".md") }.compactMap { page in
            let url = folder.appendingPathComponent(page)
            let blocks = try String(contentsOf: url, encoding: .utf8)
                .components(separatedBy: "```swift\n").dropFirst()
            var files: [String: String] = [:]
            for (number, block) in blocks.enumerated() {
                let code = block.components(separatedBy: "\n```")[0]
                files["Block\(number + 1).swift"] = "import SQift\n\(code)\n"
            }
            return files.isEmpty ? nil : SQLCorpus(page, files, nil)
        }
    }

    private static func swiftFiles(in folder: String) throws -> [String: String] {
        let folder = packageFolder.appendingPathComponent(folder)
        var files: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasSuffix(".swift") {
            files[name] = try String(
                contentsOf: folder.appendingPathComponent(name),
                encoding: .utf8
            )
        }
        return files
    }
}
