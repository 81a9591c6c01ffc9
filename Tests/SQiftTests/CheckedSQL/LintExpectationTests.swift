import SQiftTestSupport
import Testing

/// Tests provoke errors: nothing is said of a mistake whose error is expected.
@Suite(.builtLint) struct LintExpectationTests {
    @Test(arguments: [
        "#expect(throws: SQLiteError.self) { try connection.run(\"DELETE FORM cars\") }",
        "#expect(throws: SQLiteError.self) {\n    try connection.run(\"UPDATE cars SET prize = 1\")\n}",
        "let error = #expect(throws: (any Error).self) { try connection.run(\"DELETE FORM cars\") }",
        "try #require(throws: SQLiteError.self) { try connection.run(\"DELETE FORM cars\") }",
        "XCTAssertThrowsError(try connection.run(\"DELETE FORM cars\"))",
        "withKnownIssue { try connection.run(\"DELETE FORM cars\") }",
        "#expect { try connection.run(\"DELETE FORM cars\") } throws: { _ in true }",
        "#expect(throws: E.self, performing: { try connection.run(\"DELETE FORM cars\") })",
        "let result = Result { try connection.run(\"DELETE FORM cars\") }",
        "try? connection.run(\"DELETE FORM cars\")",
        "let count = try? connection.query(\"SELECT prize FROM cars\") as Int",
    ])
    func whatIsExpectedToFailMay(body: String) throws {
        let run = try LintSources(LintTwins.program(body, "import Testing")).expect([])
        #expect(run.summary.contains("an error is expected"), "\(run.summary)")
    }

    @Test(arguments: [
        // A function that throws doesn't expect an error.
        "func go() throws { try connection.run(\"DELETE ▸FORM cars\") }",
        "let go: () throws -> Void = { try connection.run(\"DELETE ▸FORM cars\") }",
        "#expect(try connection.run(\"DELETE ▸FORM cars\") == 1)",
        "#expect(throws: Never.self) { try connection.run(\"DELETE ▸FORM cars\") }",
        "try! connection.run(\"DELETE ▸FORM cars\")",
        "#expect(throws: E.self) { try f() }; try connection.run(\"DELETE ▸FORM cars\")",
        "let count = try? f() ; try connection.run(\"DELETE ▸FORM cars\")",
    ])
    func otherThingsExpectNoError(body: String) throws {
        try LintSources(LintTwins.program(body, "import Testing"))
            .expect(["error: near \"FORM\": syntax error"])
    }

    /// In an application, `do` and `catch` handle errors that nobody wants.
    @Test func anApplicationExpectsNoError() throws {
        let body = """
            do {
                try connection.run("DELETE ▸FORM cars")
            } catch {
                print(error)
            }
            """
        try LintSources(LintTwins.program(body)).expect(["error: near \"FORM\": syntax error"])
    }
}
