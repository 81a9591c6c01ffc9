import Foundation
import SQiftTestSupport
import Testing

/// What the compiler says about the commonest mistakes.
@Suite(
    .enabled(if: Compiler.obstacle == nil, "programs can't be compiled here")
)
struct CompilerMessageTests {
    private static let messages = Result { try Compiler.messages(about: sources) }

    private static let messagesInMode5 = Result {
        try Compiler.messages(about: sources, mode: "5")
    }

    private static let sources = Dictionary(
        uniqueKeysWithValues: (mistakenPrograms + mistakenParameters + correctPrograms).map {
            ($0.name, $0.source)
        }
    )

    @Test(arguments: mistakenPrograms + mistakenParameters)
    func aMistakeIsExplained(program: Program) throws {
        let messages = try Self.messages.get()[program.name] ?? []
        let isExplained = messages.contains { $0.contains(program.message) }
        #expect(isExplained, "\(messages)")
    }

    @Test(arguments: (mistakenPrograms + mistakenParameters).filter { !$0.isRightInMode5 })
    func aMistakeIsExplainedInSwift5sModeToo(program: Program) throws {
        let messages = try Self.messagesInMode5.get()[program.name] ?? []
        let isExplained = messages.contains { $0.contains(program.message) }
        #expect(isExplained, "\(messages)")
    }

    @Test func theCompilerNeverGivesUp() throws {
        let all = try Self.messages.get().merging(Self.messagesInMode5.get()) { $0 + $1 }
        for (name, messages) in all {
            let givesUp = messages.contains { $0.contains("failed to produce diagnostic") }
            #expect(!givesUp, "\(name): \(messages)")
        }
    }

    @Test(arguments: correctPrograms)
    func whatIsRightCompilesWithoutAWord(program: Program) throws {
        #expect(try Self.messages.get()[program.name] == nil)
        #expect(try Self.messagesInMode5.get()[program.name] == nil)
    }

    @Test func theMessagesAreOfThePrograms() throws {
        #expect(try Self.messages.get()[""] == nil)
    }

    @Test func awaitAtTheTopLevelOfMainIsExplained() throws {
        let program = """
            import SQift
            let database = try Database(path: "cars.sqlite")
            try await database.write { try $0.run("DELETE FROM cars") }
            let names: [String] = try await database.read { try $0.query("SELECT name FROM cars") }
            try await database.close()
            """
        let messages = try Compiler.messages(about: ["main": program])["main"] ?? []
        let errors = messages.filter { $0.hasPrefix("error") }
        let areExplained = errors.allSatisfy {
            $0.contains("; await it in a function, not in main.swift")
        }
        #expect(errors.count == 3, "\(messages)")
        #expect(areExplained, "\(messages)")
    }

    @Test func theWaysOutOfMainCompile() throws {
        let readme = packageFolder.appendingPathComponent("README.md")
        let blocks = try String(contentsOf: readme, encoding: .utf8)
            .components(separatedBy: "```swift\n").dropFirst()
            .map { $0.components(separatedBy: "```")[0] }
        let program = "import SQift\n" + (try #require(blocks.first { $0.hasPrefix("@main") }))
        let function = """
            import SQift
            func run(_ database: Database) async throws {
                try await database.write { try $0.run("DELETE FROM cars") }
            }
            try await run(Database(path: "cars.sqlite"))
            """
        #expect(try Compiler.messages(about: ["Cars": program]) == [:])
        #expect(try Compiler.messages(about: ["main": function]) == [:])
    }
}
