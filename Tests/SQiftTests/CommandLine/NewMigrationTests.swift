import Foundation
import SQift
import SQiftTestSupport
import Testing

@testable import sqift_cli

/// `new`.
struct NewMigrationTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func make(_ name: String) async -> Int32 {
        await runCommand(["new", folder.url.path, name])
    }

    @Test(.builtTool) func theNumberIsTheTimeAndThePathIsPrinted() throws {
        let time = "SELECT strftime('%Y%m%d%H%M%S', 'now')"
        let before: String = try Connection().query(time)
        let run = try ToolRun(script: #""$0" new migrations "add  owner""#, in: folder)
        let after: String = try Connection().query(time)

        run.expect(0)
        let number = run.output.dropFirst("migrations/".count).prefix(14)
        #expect(run.output == "migrations/\(number)-add-owner.sql\n")
        #expect(before <= number && number <= after)
        try folder.expectFiles("migrations")
        #expect(try fileBytes(folder.path("migrations/\(number)-add-owner.sql")).isEmpty)
    }

    @Test func eachOneIsTheLast() async throws {
        for name in ["z", "y", "x"] {
            #expect(await make(name) == 0)
        }
        let names = try folder.files().map { $0.drop { $0 != "-" } }
        #expect(names == ["-z.sql", "-y.sql", "-x.sql"])
    }

    @Test func aHigherNumberStaysBeforeIt() async throws {
        try Data().write(to: folder.url.appendingPathComponent("30000101000000-future.sql"))
        try Data().write(to: folder.url.appendingPathComponent("99999999999999999999-huge.sql"))
        #expect(await make("next") == 0)
        #expect(try folder.files().contains("30000101000001-next.sql"))
    }

    @Test func theHighestNumberEndsNothing() async throws {
        try Data().write(to: folder.url.appendingPathComponent("\(UInt64.max)-last.sql"))
        #expect(await make("next") == 0)
    }

    @Test func itRunsOnceItHasSQL() async throws {
        #expect(await make("cars") == 0)
        let path = folder.path("../\(UUID().uuidString).sqlite")
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(await runCommand(["migrate", path, folder.url.path]) == 1)
        let name = try #require(try folder.files().first)
        try Data("CREATE TABLE cars(name TEXT)".utf8)
            .write(to: folder.url.appendingPathComponent(name))
        #expect(await runCommand(["migrate", path, folder.url.path]) == 0)
    }

    @Test(arguments: ["", "  ", "a/b", "../a"])
    func whatIsNoNameIsRefused(name: String) async throws {
        #expect(await make(name) == 2)
        #expect(try folder.files().isEmpty)
    }

    @Test(.builtTool) func aFolderThatCannotBeMadeIsNamed() throws {
        try ToolRun(script: #""$0" new no/migrations cars"#, in: folder)
            .expect(1, errors: "/no/migrations")
        try Data().write(to: folder.url.appendingPathComponent("file"))
        try ToolRun(script: #""$0" new file cars"#, in: folder).expect(1, errors: "/file")
        try folder.expectFiles("file")
    }
}
