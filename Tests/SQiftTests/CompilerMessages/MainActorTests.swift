import Foundation
import SQiftTestSupport
import Testing

/// The documents' code in a module whose code is on the main actor by default, as that of an app
/// which Xcode 26 has made.
@Suite(.enabled(if: Compiler.obstacle == nil, "programs can't be compiled here"))
struct MainActorTests {
    /// The Swift files in a folder of the package by their names, without an import.
    private func sources(in folder: String, leavingOut line: String = "") throws -> [String: String]
    {
        let folder = packageFolder.appendingPathComponent(folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        var sources: [String: String] = [:]
        for name in names where name.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            sources["\(name.dropLast(6))"] = text.replacingOccurrences(of: line, with: "")
        }
        return sources
    }

    private func expectNoErrors(in sources: [String: String]) throws {
        try #require(!sources.isEmpty)
        for (name, messages) in try Compiler.messages(about: sources, isOnMainActor: true) {
            let errors = messages.filter { $0.hasPrefix("error: ") }
            #expect(errors == [], "\(name)")
        }
    }

    /// The tests of the documents have each Swift block of README and of the guides, as
    /// `DocumentationTests` makes sure.
    @Test func theGuidesCompile() throws {
        try expectNoErrors(in: sources(in: "Tests/SQiftTests/Documentation"))
    }

    @Test func theTutorialCompiles() throws {
        let tutorial = "Tests/Tutorial/Sources"
        let library = try sources(in: "\(tutorial)/GarageKit")
        let tool = try sources(in: "\(tutorial)/garage", leavingOut: "import GarageKit\n")
        try expectNoErrors(in: library.merging(tool) { $1 })
        try expectNoErrors(in: sources(in: "\(tutorial)/hello"))
    }

    /// Otherwise the tests above could not fail.
    @Test func codeThatIsOnTheMainActorIsFound() throws {
        let source = """
            import SQift
            func insert(on connection: Connection) throws {}
            func run(_ database: Database) async throws {
                try await database.write { try insert(on: $0) }
            }
            """
        let messages = try Compiler.messages(about: ["Use": source], isOnMainActor: true)
        let isFound = messages["Use"]?.contains { $0.contains("main actor-isolated") } ?? false
        #expect(isFound)
    }
}
