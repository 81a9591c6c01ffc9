import SQiftTestSupport
import Testing

/// A method is SQift's if the type that is written says so.
@Suite(.builtLint) struct LintReceiverTests {
    private static let stores = """
        struct Store {
            let db: Database
            var queue: ConnectionQueue { make() }
            func reader() throws -> Connection { try Connection() }
        }
        struct App { let store: Store }
        struct Job: Runnable { func run(_ text: String) {} }
        """

    @Test(
        arguments: #"""
            let store: Store = make(); try store.db.write { c in try c.run("UPDATE cars SET ▸prize = 1") }
            let app: App = make(); try app.store.db.run("UPDATE cars SET ▸prize = 1")
            let store: Store = make(); try store.reader().run("UPDATE cars SET ▸prize = 1")
            let store: Store = make(); let c = try store.reader(); try c.run("UPDATE cars SET ▸prize = 1")
            let store: Store = make(); try store.queue.run("UPDATE cars SET ▸prize = 1")
            let store: Store? = make(); try store?.db.run("UPDATE cars SET ▸prize = 1")
            """#.cases
    )
    func membersHaveTheirWrittenTypes(body: String) throws {
        let files = LintTwins.program(body, Self.stores)
        try LintSources(files).expect(["error: no such column: prize"])
    }

    @Test func anOwnPropertyHasItsWrittenType() throws {
        let declarations = """
            final class Model {
                private let connection: Connection
                func raise() throws {
                    try self.connection.run("UPDATE cars SET ▸prize = 1")
                    try connection.run("UPDATE cars SET price = 1")
                }
            }
            """
        try LintSources(LintTwins.program("", declarations)).expect(["error: no such column: prize"]
        )
    }

    @Test(
        arguments: #"""
            try self.shell.run("create new-project --with tests")
            try Shell.shared.run("update brew --quiet")
            self.app.buttons.query("Select a car").tap()
            try self.postgres.query("SELECT id FROM accounts WHERE data @> '{}'", [1])
            let job: Job = make(); job.run("DELETE FORM cars")
            try make().execute("DELETE FORM cars")
            """#.cases
    )
    func otherLibrariesMethodsAreNotJudged(body: String) throws {
        try LintSources(LintTwins.program(body, Self.stores)).expect([])
    }

    @Test func whatIsOfNoWrittenTypeIsCounted() throws {
        let body = """
            try self.postgres.query("SELECT id FROM accounts", [1])
            try Shell.shared.run("ls -l")
            """
        let run = try LintSources(LintTwins.program(body)).expect([])
        #expect(run.summary.contains("1 not (a method of a type that isn't written 1)"))
    }

    @Test func anOwnTypeOfTheSameNameIsNotSQifts() throws {
        let declarations = """
            struct Robot { func run(_ text: String) {} }
            final class Database { func read(_ body: (Robot) -> Void) {} }
            """
        let body = "database.read { connection in connection.run(\"insert the coin\") }"
        try LintSources(LintTwins.program(body, declarations)).expect([])
    }

    @Test func aFileWithoutTheImportIsCheckedIfTheTypeSaysSo() throws {
        var files = LintTwins.program("", "struct Store { let db: Database }")
        files["More.swift"] = """
            extension Store {
                func raise() throws {
                    try db.write { c in try c.run("UPDATE cars SET ▸prize = 1") }
                }
            }
            """
        try LintSources(files).expect(["error: no such column: prize"])
    }
}
