import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Mistakes are put into sources that are right: nearly all have to be found, where they are.
@Suite(
    .builtLint,
    .enabled(if: Capability.fts5, "this SQLite has no FTS5")
)
struct LintMutationTests {
    private static let seed: UInt64 = 20_261_124
    private static let count = 20

    private func corpora(_ folder: TemporaryFolder) throws -> [SQLCorpus] {
        [try .tutorial(), try .application(in: folder)] + (try SQLCorpus.documents())
    }

    private func write(_ text: String, _ path: String, in folder: TemporaryFolder) throws {
        let url = folder.url.appendingPathComponent(path)
        try text.write(to: url, atomically: false, encoding: .utf8)
    }

    /// A folder with the sources of a corpus.
    private func folder(of corpus: SQLCorpus) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (path, source) in corpus.sources {
            try write(String(decoding: source.bytes, as: UTF8.self), path, in: folder)
        }
        return folder
    }

    @Test func withoutMistakesNothingIsFound() throws {
        let database = try TemporaryFolder()
        for corpus in try corpora(database) {
            let folder = try folder(of: corpus)
            let run = try LintRun(["."], in: folder.url)
            #expect(run.errors.isEmpty, "\(run.errors)")
            if corpus.connection != nil {
                #expect(run.messages.isEmpty, "\(run.messages)")
            }
        }
    }

    /// Where a column comes from, and so whether it may be NULL, not every SQLite says.
    private static let kinds = SQLMistake.allCases.filter {
        $0 != .nullIntoNonOptional || Capability.columnMetadata
    }

    @Test(arguments: kinds)
    func mistakesAreFoundWhereTheyAre(kind: SQLMistake) throws {
        let database = try TemporaryFolder()
        var generator = SeededGenerator(state: Self.seed)
        var candidates: [(corpus: SQLCorpus, mistake: MistakenSource)] = []
        for corpus in try corpora(database) where corpus.connection != nil || kind.needsNoSchema {
            let all = SQLMutator(corpus).mistakes(kind, using: &generator)
            candidates += all.map { (corpus, $0) }
        }
        let chosen = candidates.shuffled(using: &generator).prefix(Self.count)
        try #require(chosen.count == Self.count, "only \(chosen.map(\.mistake.change))")

        var missed: [String] = []
        for name in Set(chosen.map(\.corpus.name)) {
            let mistakes = chosen.filter { $0.corpus.name == name }
            let folder = try folder(of: mistakes[0].corpus)
            let before = try LintRun(["."], in: folder.url).messages
            for (corpus, mistake) in mistakes {
                try write(mistake.text, mistake.path, in: folder)
                let run = try LintRun(["."], in: folder.url)
                let found = (run.errors + run.warnings).filter { message in
                    !before.contains { $0.path == message.path && $0.text == message.text }
                }
                // What is wrong in a constant is also said at the calls that use it.
                let told = Set(found.filter(mistake.mayBeReported).map(\.text))
                let elsewhere = found.filter {
                    !mistake.mayBeReported(at: $0) && !told.contains($0.text)
                }
                #expect(run.status >= 0, "\(mistake.change)")
                #expect(elsewhere.isEmpty, "\(mistake.change): \(elsewhere)")
                if found.isEmpty {
                    missed.append("\(name): \(mistake.change)")
                }
                let old = corpus.sources[mistake.path]?.bytes ?? []
                try write(String(decoding: old, as: UTF8.self), mistake.path, in: folder)
            }
        }
        #expect(missed.count * 20 <= Self.count, "missed \(missed.joined(separator: "\n"))")
    }
}
