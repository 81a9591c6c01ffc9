import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Mistakes of many kinds are put into programs that weren't written for the tool that checks SQL:
/// nearly all are found at the statement, and nothing is said of another one.
@Suite(
    .builtLint,
    .enabled(if: Capability.fts5, "this SQLite has no FTS5"),
    .enabled(if: Capability.columnMetadata, "this SQLite doesn't say where a column comes from")
)
struct LintProgramTests {
    private static let seed: UInt64 = 20_261_129
    /// How many mistakes of a kind are put into a program, if their scores are asked for.
    private static let askedCount =
        ProcessInfo.processInfo.environment["SQIFT_LINT_SCORES"].flatMap(Int.init)

    /// What was found of the mistakes of a kind in a program.
    private struct Score {
        let kind: ProgramMistake
        let program: String
        var made = 0
        var missed: [String] = []
        var elsewhere: [String] = []
    }

    @Test(arguments: SampleProgram.names)
    func rightProgramsHaveNoMessage(name: String) throws {
        let folder = try folder(of: SampleProgram(name))
        let run = try LintRun(["."], in: folder.url)
        #expect(run.messages.isEmpty, "\(run.messages)")
        #expect(run.status == 0)
    }

    /// The schema by which mistakes are judged is the one that the program's migrations make.
    @Test(arguments: SampleProgram.names)
    func theSchemaIsTheMigrations(name: String) throws {
        let migrations = [
            "Podcasts": PodcastSchema.migrations,
            "Warehouse": WarehouseMigrations.all,
            "Notebook": Notebook.migrations,
            "Voyages": VoyageStore.migrations,
        ]
        let connection = try Connection()
        try Migrator(connection: connection, migrations: #require(migrations[name])).run()
        let sql = """
            SELECT t.name || '.' || c.name || ' ' || c.type
            FROM sqlite_schema t, pragma_table_info(t.name) c
            WHERE t.name NOT LIKE 'sqift%' AND t.name NOT LIKE 'sqlite%' ORDER BY 1
            """
        let program = try SampleProgram(name)
        let columns: [String] = try connection.query(sql)
        #expect(columns == (try program.connection.query(sql) as [String]))
        #expect(program.statements.count > 20)
    }

    /// With `SQIFT_LINT_SCORES=3` it puts three mistakes of a kind into each program, and prints what
    /// was found by kind and program.
    @Test func nearlyAllMistakesAreFoundAtTheStatement() async throws {
        let scores = try await withThrowingTaskGroup(of: [Score].self) { group in
            for name in SampleProgram.names {
                group.addTask { try measure(name) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let made = scores.map(\.made).reduce(0, +)
        let missed = scores.flatMap(\.missed)
        let elsewhere = scores.flatMap(\.elsewhere)
        #expect(made > 120)
        #expect(elsewhere.isEmpty, "\(elsewhere.joined(separator: "\n"))")
        if Self.askedCount != nil {
            print(table(scores), missed.joined(separator: "\n"), separator: "\n")
        }
        let message = "\(weakKinds(scores))\n\(missed.joined(separator: "\n"))"
        #expect(missed.count * 20 <= made, "\(missed.count) of \(made) missed, \(message)")
    }

    // MARK: Mistakes

    private func folder(of program: SampleProgram) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (path, source) in program.sources {
            try write(source.text(0..<source.bytes.count), path, in: folder)
        }
        return folder
    }

    private func write(_ text: String, _ path: String, in folder: TemporaryFolder) throws {
        let url = folder.url.appendingPathComponent(path)
        try text.write(to: url, atomically: false, encoding: .utf8)
    }

    private func measure(_ name: String) throws -> [Score] {
        let program = try SampleProgram(name)
        let mutator = try ProgramMutator(program)
        let folder = try folder(of: program)
        let before = try LintRun(["."], in: folder.url).messages
        return try ProgramMistake.allCases.map { kind in
            var generator = SeededGenerator(state: Self.seed)
            var score = Score(kind: kind, program: name)
            for mistake in mistakes(kind, mutator, using: &generator) {
                try write(mistake.text, mistake.path, in: folder)
                let run = try LintRun(["."], in: folder.url)
                let found = (run.errors + run.warnings).filter { message in
                    !before.contains { $0.path == message.path && $0.text == message.text }
                }
                let source = program.sources[mistake.path]
                let old = source.map { $0.text(0..<$0.bytes.count) } ?? ""
                try write(old, mistake.path, in: folder)
                score.made += 1
                if !found.contains(where: mistake.mayBeReported(at:)) {
                    score.missed.append("\(kind): \(mistake.change)")
                }
                for message in found where !mistake.mayBeReported(at: message) {
                    if !program.isConstant(at: message) {
                        score.elsewhere.append("\(kind): \(mistake.change): \(message)")
                    }
                }
            }
            return score
        }
    }

    /// Some mistakes of a kind, no two of them at the same place.
    private func mistakes(
        _ kind: ProgramMistake,
        _ mutator: ProgramMutator,
        using generator: inout SeededGenerator
    ) -> [MistakenSource] {
        var result: [MistakenSource] = []
        var changed: Set<String> = []
        let changes = mutator.changes(kind, using: &generator)
        let count = Self.askedCount ?? 1
        for change in changes.shuffled(using: &generator) where result.count < count {
            guard changed.insert("\(change.path) \(change.range)").inserted,
                let mistake = change.mistake(in: mutator.program)
            else { continue }
            result.append(mistake)
        }
        return result
    }

    // MARK: Tables

    /// The kinds of which less than 95 % were found.
    private func weakKinds(_ scores: [Score]) -> String {
        ProgramMistake.allCases.compactMap { kind in
            let own = scores.filter { $0.kind == kind }
            let made = own.map(\.made).reduce(0, +)
            let missed = own.map(\.missed.count).reduce(0, +)
            return missed * 20 > made ? "\(kind): \(made - missed) of \(made)" : nil
        }.joined(separator: ", ")
    }

    /// What was found by kind and program.
    private func table(_ scores: [Score]) -> String {
        let names = SampleProgram.names
        let rows = ProgramMistake.allCases.map { kind in
            let cells = names.map { name in
                let score = scores.first { $0.kind == kind && $0.program == name }
                return score.map { "\($0.made - $0.missed.count)/\($0.made)" } ?? ""
            }
            return "| \(kind) | \(cells.joined(separator: " | ")) |"
        }
        let head = "| kind | \(names.joined(separator: " | ")) |"
        return ([head] + rows).joined(separator: "\n")
    }
}
