import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The commands in the shell blocks of the README and of the pages of Docs.
struct ShellBlockTests {
    private struct Block {
        let page: String
        let commands: String
    }

    private let blocks: [Block]

    init() throws {
        let pages = try FileManager.default
            .subpathsOfDirectory(atPath: packageFolder.appendingPathComponent("Docs").path)
            .filter { $0.hasSuffix(".md") }
            .map { "Docs/\($0)" }
        blocks = try (["README.md"] + pages.sorted()).flatMap { page in
            let file = packageFolder.appendingPathComponent(page)
            return try String(contentsOf: file, encoding: .utf8)
                .components(separatedBy: "```sh\n")
                .dropFirst()
                .map { Block(page: page, commands: $0.components(separatedBy: "```")[0]) }
        }
    }

    /// A page's blocks run one after the other in one folder, as a reader would type them.
    @Test(.builtTool) func everyCommandOfTheToolRuns() throws {
        let tool = try #require(commandLineTool)
        let ofTool = blocks.filter { $0.commands.hasPrefix("sqift-cli ") }
        for (page, blocks) in Dictionary(grouping: ofTool, by: \.page) {
            let folder = try makeProject()
            for block in blocks {
                let script = """
                    PATH='\(tool.deletingLastPathComponent().path)':$PATH
                    set -e
                    \(block.commands)
                    """
                let run = try ToolRun(script: script, in: folder)
                #expect(run.status == 0, "\(page): \(block.commands)\(run.errors)")
            }
        }
        #expect(ofTool.count >= 4)
    }

    /// A folder with what the commands name.
    private func makeProject() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in ["backups", "fixtures", "migrations", "Sources/App"] {
            try FileManager.default.createDirectory(
                at: folder.url.appendingPathComponent(name),
                withIntermediateDirectories: true
            )
        }
        for name in ["app.sqlite", "fixtures/oldest.sqlite"] {
            try Connection(path: folder.path(name)).execute(
                "CREATE TABLE cars(name TEXT NOT NULL); INSERT INTO cars VALUES('Beetle')"
            )
        }
        let migrations = [
            "0000-cars": "CREATE TABLE IF NOT EXISTS cars(name TEXT NOT NULL)",
            "0001-add-wheels": "CREATE TABLE wheels(size INTEGER)",
            "0002-add-prices": "ALTER TABLE cars ADD COLUMN price INTEGER",
            "0003-add-doors": "ALTER TABLE cars ADD COLUMN doors INTEGER",
        ]
        for (name, sql) in migrations {
            try Data(sql.utf8)
                .write(to: folder.url.appendingPathComponent("migrations/\(name).sql"))
        }
        return folder
    }

    /// These take minutes or hours, so they aren't run: their words are looked for in the sources.
    @Test func theOptionsOfOtherProgramsExist() throws {
        let command = /swift run -c release (SQift\w+)([^<>\n]*)/
        var wordCount = 0
        for block in blocks {
            for match in block.commands.matches(of: command) {
                let sources = try code(in: "Tests/\(match.1)")
                // What begins with a digit is an option's value.
                for word in match.2.split(separator: " ") where Int(word.prefix(1)) == nil {
                    wordCount += 1
                    let file = packageFolder.appendingPathComponent(String(word)).path
                    let exists =
                        sources.contains("\"\(word)\"")
                        || FileManager.default.fileExists(atPath: file)
                    #expect(exists, "\(block.page): \(match.0)")
                }
            }
        }
        #expect(wordCount > 0)
    }

    private func code(in target: String) throws -> String {
        let folder = packageFolder.appendingPathComponent(target)
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
            .joined()
    }
}
