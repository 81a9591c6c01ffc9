import Foundation
import SQift
import SQiftTestSupport
import Testing

/// `SQIFT_DATABASE`.
@Suite(.builtTool) struct DatabaseVariableTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let migrations = folder.url.appendingPathComponent("migrations")
        try FileManager.default.createDirectory(at: migrations, withIntermediateDirectories: false)
        try Data("CREATE TABLE wheels(size INTEGER)".utf8)
            .write(to: migrations.appendingPathComponent("1-wheels.sql"))
        try Connection(path: folder.path("app.sqlite")).execute("CREATE TABLE cars(name TEXT)")
    }

    private func run(_ arguments: String, database: String = "app.sqlite") throws -> ToolRun {
        try ToolRun(script: "SQIFT_DATABASE=\(database) \"$0\" \(arguments)", in: folder)
    }

    @Test(arguments: ["check", "check -", "check --json"])
    func itStandsForALoneDatabase(arguments: String) throws {
        let run = try run(arguments)
        run.expect(0)
        #expect(run.output.contains("app.sqlite"))
    }

    @Test func anArgumentGoesBeforeIt() throws {
        try run("check app.sqlite", database: "none.sqlite").expect(0)
    }

    @Test func itStandsForAHyphen() throws {
        try run("migrate - migrations").expect(0)
        try run("status - migrations").expect(0)
        try run("backup - copy.sqlite").expect(0)
        try run("verify - copy.sqlite").expect(0)
        try run("verify copy.sqlite -").expect(0)
        try run("restore copy.sqlite -").expect(0)
        try folder.expectFiles("app.sqlite", "copy.sqlite", "migrations")
    }

    /// Only a database: a backup to `-` would be one of the database to itself.
    @Test func itStandsForNothingElse() throws {
        let message = "- stands for a database, and FILE isn't one"
        try run("backup app.sqlite -").expect(2, errors: message)
        try run("restore - new.sqlite").expect(2, errors: message)
        try folder.expectFiles("app.sqlite", "migrations")
    }

    /// A repaired path would name another file.
    @Test func aPathThatIsNotUTF8IsRefused() throws {
        let run = try run("migrate - migrations", database: "\"$(printf 'caf\\351.sqlite')\"")
        run.expect(2, errors: "SQIFT_DATABASE isn't UTF-8, so it can't be used")
        try folder.expectFiles("app.sqlite", "migrations")
    }

    @Test func nothingElseIsLeftOut() throws {
        try run("migrate migrations").expect(2, errors: "migrate needs FOLDER")
        try run("backup copy.sqlite").expect(2, errors: "backup needs FILE")
        try run("verify copy.sqlite").expect(2, errors: "verify needs B")
    }

    @Test(arguments: ["check", "check -", "rekey --new-key-file key", "migrate - migrations"])
    func withoutItTheDatabaseIsMissing(arguments: String) throws {
        let command = arguments.prefix { $0 != " " }
        let run = try run(arguments, database: "")
        run.expect(2, errors: "\(command) needs DATABASE, or SQIFT_DATABASE for it")
    }

    @Test func aURLIsNoPath() throws {
        for url in ["sqlite:app.sqlite", "sqlite://app.sqlite"] {
            let message = "DATABASE is a path, not a URL: \(url)"
            try run("migrate - migrations", database: url).expect(2, errors: message)
            try run("migrate \(url) migrations").expect(2, errors: message)
        }
        try run("migrate ./sqlite:a migrations").expect(0)
        try folder.expectFiles("app.sqlite", "migrations", "sqlite:a")
    }
}
