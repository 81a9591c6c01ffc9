import Foundation
import SQiftTestSupport
import Testing

private let programsFolder: URL? = {
    let path = ProcessInfo.processInfo.environment["SQIFT_TEST_DATA"]
    let folder = path.map { URL(fileURLWithPath: $0).appendingPathComponent("check") }
    let isThere = folder.map { FileManager.default.fileExists(atPath: $0.path) }
    return isThere == true ? folder : nil
}()

/// Small programs of others: the right ones get no error, and the wrong ones a message.
@Suite(
    .builtLint,
    .enabled(if: programsFolder != nil, "SQIFT_TEST_DATA has no folder check"),
    .enabled(
        if: Capability.errorOffset && Capability.columnMetadata && Capability.fts5,
        "this SQLite doesn't tell where columns come from, or where an error is"
    )
)
struct LintForeignProgramTests {
    /// A program, whose files are in the targets that their paths begin with. `!uses Core` says
    /// that the target `App` uses `Core`.
    struct Program: Decodable, CustomTestStringConvertible {
        let name: String
        let files: [String: String?]

        var testDescription: String { name }
    }

    /// The mistakes that aren't found: what the text alone doesn't tell, and rules that the tool
    /// doesn't have.
    private static let notJudged: Set = [
        "missing NOT NULL column in INSERT", "String value for an INTEGER column",
        "NULL literal for a NOT NULL column", "aggregate of nothing into Int",
        "two columns into a scalar list (2nd lost)", "optional property misspelt",
        "var with +=",
        "SQL through String.trimmingCharacters", "view misspelt",
        "ADD COLUMN NOT NULL without default",
        "string compared with =, misspelt literal of an enum", "IN (?) with a list",
        "insert columns twice",
    ]

    private static func programs(_ name: String) throws -> [Program] {
        let url = try #require(programsFolder).appendingPathComponent(name)
        return try JSONDecoder().decode([Program].self, from: Data(contentsOf: url))
    }

    private func run(_ program: Program) throws -> LintRun {
        let directive = program.files.keys.first { $0.hasPrefix("!uses ") }
        let used = directive.map { String($0.dropFirst("!uses ".count)) }
        let files = program.files.compactMapValues(\.self)
        let sources = try LintSources(files)
        let arguments = used.map { ["--uses", $0, "App"] } ?? ["."]
        return try LintRun(arguments, in: sources.folder.url)
    }

    @Test func rightProgramsAreNotRefused() throws {
        let programs = try Self.programs("right.json")
        try #require(programs.count > 20)
        for program in programs {
            let run = try run(program)
            #expect(run.errors.isEmpty, "\(program.name): \(run.errors)")
            #expect(run.status == 0)
        }
    }

    @Test func wrongProgramsAreReported() throws {
        let programs = try Self.programs("wrong.json")
        try #require(programs.count > 20)
        for program in programs where !Self.notJudged.contains(program.name) {
            let run = try run(program)
            #expect(!run.messages.isEmpty, "\(program.name)")
        }
    }
}
