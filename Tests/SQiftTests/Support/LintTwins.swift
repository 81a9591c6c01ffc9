import Testing

/// A mistake, what is said of it at its `▸`, and the nearest code that is right.
package struct LintTwins: CustomTestStringConvertible, Sendable {
    /// The body of a function that has a `connection`, a `database`, a `name` and `values`.
    package let wrong: String
    package let message: String
    package let right: String
    /// What stands before that function.
    package var declarations = ""

    package var testDescription: String { wrong.replacingOccurrences(of: "\n", with: " ") }

    /// - Parameter message: The severity and a part of the text: `error: no such table`.
    package init(_ wrong: String, _ message: String, _ right: String, declarations: String = "") {
        self.wrong = wrong
        self.message = message
        self.right = right
        self.declarations = declarations
    }

    /// - Parameter text: Three lines for each: the wrong code, the message and the right code. Between
    ///   them is an empty line.
    package static func all(_ text: String) -> [LintTwins] {
        text.components(separatedBy: "\n\n").map { twins in
            let lines = twins.cases
            precondition(lines.count == 3, "\(twins)")
            return LintTwins(lines[0], lines[1], lines[2])
        }
    }

    /// Expects the message about the one, and nothing about the other.
    package func expect(
        _ options: [String] = [],
        at location: SourceLocation = #_sourceLocation
    ) throws {
        try LintSources(Self.program(wrong, declarations)).expect([message], options, at: location)
        try LintSources(Self.program(right, declarations)).expectClean(options, at: location)
    }

    /// The sources of a program with a garage's tables, in which one function has this body.
    package static func program(_ body: String, _ declarations: String = "") -> [String: String] {
        let lines = body.split(separator: "\n", omittingEmptySubsequences: false)
        let function = """
            import SQift

            \(declarations)

            func use(
                _ connection: Connection, _ database: Database, name: String, values: [Int]
            ) throws {
            \(lines.map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n"))
            }

            """
        return ["Migrations.swift": migrations, "Use.swift": function]
    }

    package static let migrations = #"""
        import SQift

        let migrations = [
            Migration(
                "1-owners",
                sql: "CREATE TABLE owners(id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT)"
            ),
            Migration(
                "2-cars",
                sql: """
                    CREATE TABLE cars(
                        id INTEGER PRIMARY KEY,
                        name TEXT NOT NULL,
                        price INTEGER NOT NULL,
                        model_year INTEGER,
                        owner INTEGER REFERENCES owners(id),
                        options TEXT NOT NULL DEFAULT '[]'
                    );
                    CREATE INDEX cars_by_price ON cars(price)
                    """
            ),
        ]

        """#
}

extension String {
    /// The lines of a table of code, each of which is a case.
    package var cases: [String] { components(separatedBy: "\n") }
}
