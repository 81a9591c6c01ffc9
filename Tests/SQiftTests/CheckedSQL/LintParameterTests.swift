import SQiftTestSupport
import Testing

/// The number and the names of a statement's parameters, against the values that it gets.
@Suite(.builtLint) struct LintParameterTests {
    @Test(arguments: [
        "kind.rawValue", "Date.now", "name.lowercased()", "Date().addingTimeInterval(60)",
    ])
    func aMemberOrAMethodsResultIsOneValue(value: String) throws {
        let body = """
            let kind = Kind.old
            let name = "x"
            try connection.▸run("UPDATE cars SET name = ? WHERE id = ?", \(value))
            """
        try LintSources(LintTwins.program(body, "enum Kind: String { case old }")).expect([
            "error: the statement has 2 parameters, but got 1 value"
        ])
    }

    @Test func parametersMayBeInSnakeCaseAsTheColumns() throws {
        let type = """
            struct Model: Encodable, ExpressibleByRow {
                static var columnNamesAreSnakeCase: Bool { true }
                let carName: String
                init(row: Row) throws { carName = try row.get("car_name") }
            }
            func make() -> Model { fatalError() }
            """
        let body = """
            try connection.run("UPDATE cars SET name = :car_name", encoding: make())
            try connection.run("UPDATE cars SET name = :carName", encoding: make())
            try connection.▸run("UPDATE cars SET name = :car_nme", encoding: make())
            """
        try LintSources(LintTwins.program(body, type)).expect([
            "error: the parameter \"car_nme\" gets no value: Model has no such property"
        ])
    }

    @Test(
        arguments: LintTwins.all(
            #"""
            try connection.▸run("UPDATE cars SET name = ? WHERE id = ?", name, 1, 2)
            error: the statement has 2 parameters, but got 3 values
            try connection.run("UPDATE cars SET name = ? WHERE id = ?", name, 1)

            try connection.▸run("UPDATE cars SET name = ? WHERE id = ?")
            error: the statement has 2 parameters, but got 0 values
            try connection.run("UPDATE cars SET name = 'a' WHERE id = 1")

            try connection.▸run("UPDATE cars SET name = ? WHERE id = ?", name)
            error: the statement has 2 parameters, but got 1 value
            try connection.run("UPDATE cars SET name = ? WHERE id = ?", values)

            try connection.▸run("UPDATE cars SET name = ?2 WHERE id = ?3", name, 1)
            error: the statement has 3 parameters, but got 2 values
            try connection.run("UPDATE cars SET name = ?2 WHERE id = ?1", 1, name)

            try connection.▸run("DELETE FROM cars WHERE name = ?", [name, "Audi"])
            error: the statement has 1 parameter, but got 2 values
            try connection.run("DELETE FROM cars WHERE name = ? OR name = ?", [name, "Audi"])

            let id: Int? = try connection.▸query("SELECT id FROM cars WHERE name = ?", name, 2)
            error: the statement has 1 parameter, but got 2 values
            let id: Int? = try connection.query("SELECT id FROM cars WHERE name = ?", name)

            try connection.▸forEachRow("SELECT id FROM cars WHERE id = ?") { _ in }
            error: the statement has 1 parameter, but got 0 values
            try connection.forEachRow("SELECT id FROM cars WHERE id = ?", 1) { _ in }

            try connection.▸run("DELETE FROM cars WHERE id = 1", 1, nil)
            error: the statement has 0 parameters, but got 2 values
            try connection.run("DELETE FROM cars WHERE id IN (?, ?)", 1, nil)

            try connection.▸run("DELETE FROM cars WHERE id = ? OR name = '?' -- ?", f(1, 2), 3)
            error: the statement has 1 parameter, but got 2 values
            try connection.run("DELETE FROM cars WHERE id = ? OR name = '?' -- ?", f(1, 2))
            """#
        )
    )
    func theNumberOfValuesIsRight(twins: LintTwins) throws {
        try twins.expect()
    }

    /// SQLite's names may hold colons and any letter: <https://sqlite.org/lang_expr.html#varparam>
    @Test func aNameMayHoldColonsAndAnyLetter() throws {
        let sql = "DELETE FROM cars WHERE id = :größe OR id = $a::b"
        let twins = LintTwins(
            #"try connection.▸run("\#(sql)", ["größe": 1])"#,
            "error: the parameter \"a::b\" gets no value",
            #"try connection.run("\#(sql)", ["größe": 1, "$a::b": 2])"#
        )
        try twins.expect()
    }

    /// The same letter, as one scalar and with a combining accent, makes two names.
    @Test func namesAreTheSameBytes() throws {
        let twins = LintTwins(
            "try connection.run(\"SELECT :n\u{E9}\", [\"n\u{E9}\": 1, ▸\"ne\u{301}\": 1])",
            "error: the statement has no parameter \"ne\u{301}\"",
            "try connection.run(\"SELECT :n\u{E9}\", [\"n\u{E9}\": 1])"
        )
        try twins.expect()
    }

    @Test(
        arguments: LintTwins.all(
            #"""
            try connection.▸run("UPDATE cars SET name = :name WHERE id = :id", ["name": name])
            error: the parameter "id" gets no value
            try connection.run("UPDATE cars SET name = :name WHERE id = :id", ["name": name, "id": 1])

            try connection.run("DELETE FROM cars WHERE id = :id", ["id": 1, ▸"name": name])
            error: the statement has no parameter "name"
            try connection.run("DELETE FROM cars WHERE id = :id AND name = @name", ["id": 1, "name": name])

            try connection.▸run("DELETE FROM cars WHERE id = :id", [:])
            error: the parameter "id" gets no value
            try connection.run("DELETE FROM cars", [:])

            try connection.▸run("DELETE FROM cars WHERE id = $id OR owner = $owner", ["$id": 1])
            error: the parameter "owner" gets no value
            try connection.run("DELETE FROM cars WHERE id = $id OR owner = $id", ["$id": 1])

            try connection.▸run("DELETE FROM cars WHERE id = ?", ["id": 1])
            error: the statement has parameters without names, but got names
            try connection.run("DELETE FROM cars WHERE id = :id", 1)

            try connection.▸execute("DELETE FROM cars WHERE id = :id; SELECT :name", parameters: ["id": 1])
            error: the parameter "name" gets no value
            try connection.execute("DELETE FROM cars WHERE id = :id; SELECT :id", parameters: ["id": 1])

            try connection.▸execute("SELECT 1; DELETE FROM cars WHERE id = :id")
            error: the statement has 1 parameter, but got 0 values
            try connection.execute("SELECT 1; DELETE FROM cars", parameters: ["left over": 1])
            """#
        )
    )
    func theNamesAreThoseOfTheParameters(twins: LintTwins) throws {
        try twins.expect()
    }

    @Test(
        arguments: LintTwins.all(
            #"""
            try connection.▸run("INSERT INTO cars(name, price) VALUES(:name, :prize)", encoding: car)
            error: the parameter "prize" gets no value
            try connection.run("INSERT INTO cars(name, price) VALUES(:name, :price)", encoding: car)

            try connection.▸run("UPDATE cars SET price = :amount", encoding: NewCar(name: name, price: 1))
            error: the parameter "amount" gets no value
            try connection.run("UPDATE cars SET price = :price", encoding: NewCar(name: name, price: 1))

            try connection.▸run("UPDATE cars SET model_year = :modelYear", encoding: keyed)
            error: the parameter "modelYear" gets no value
            try connection.run("UPDATE cars SET model_year = :year", encoding: keyed)

            try connection.▸run("DELETE FROM cars WHERE price = :computed", encoding: car)
            error: the parameter "computed" gets no value
            try connection.run("DELETE FROM cars WHERE price = :price", encoding: car)
            """#
        )
    )
    func theKeysOfWhatIsEncodedAreParameters(twins: LintTwins) throws {
        let declarations = """
            struct NewCar: Encodable {
                let name: String
                let price: Int
                static let none = 0
                var computed: Int { price * 2 }
            }
            struct Keyed: Codable {
                var modelYear: Int
                enum CodingKeys: String, CodingKey {
                    case modelYear = "year"
                }
            }
            """
        let constants = """
            let car = NewCar(name: name, price: 1)
            let keyed: Keyed = make()

            """
        try LintTwins(
            constants + twins.wrong,
            twins.message,
            constants + twins.right,
            declarations: declarations
        ).expect()
    }

    @Test func aTypeThatEncodesItselfMayHaveAnyKeys() throws {
        let declarations = """
            struct Odd: Encodable {
                let name: String
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: Key.self)
                    try container.encode(name, forKey: .title)
                }
            }
            """
        let body = """
            try connection.run("UPDATE cars SET name = :title", encoding: Odd(name: name))
            """
        try LintSources(LintTwins.program(body, declarations)).expectClean()
    }

    @Test(arguments: [
        LintTwins(
            #"try connection.prepare("DELETE FROM cars WHERE id = ?").▸bind(1, 2).run()"#,
            "error: the statement has 1 parameter, but got 2 values",
            #"try connection.prepare("DELETE FROM cars WHERE id = ?").bind(1).run()"#
        ),
        LintTwins(
            #"""
            let statement = try connection.prepare("UPDATE cars SET name = ? WHERE id = ?")
            for id in values {
                try statement.▸bind(name, id, 3).run()
            }
            """#,
            "error: the statement has 2 parameters, but got 3 values",
            #"""
            let statement = try connection.prepare("UPDATE cars SET name = ? WHERE id = ?")
            for id in values {
                try statement.bind(name, id).run()
            }
            """#
        ),
        LintTwins(
            #"""
            let statement = try connection.prepare("DELETE FROM cars WHERE id = :id")
            try statement.bind(["id": 1, ▸"name": name]).run()
            """#,
            "error: the statement has no parameter \"name\"",
            #"""
            let statement = try connection.prepare("DELETE FROM cars WHERE id = :id")
            try statement.bind(["id": 1]).run()
            """#
        ),
    ])
    func laterValuesAreCountedToo(twins: LintTwins) throws {
        try twins.expect()
    }

    @Test(
        arguments: #"""
            try connection.run("DELETE FROM cars WHERE id IN (?, ?, ?)", values)
            try connection.run("DELETE FROM cars WHERE id IN (?, ?, ?)", .list(values))
            try connection.run("DELETE FROM cars WHERE id = :id AND name = :name", .named(named))
            try connection.run("DELETE FROM cars WHERE id = :id AND name = :name", [key: 1, "id": 2])
            try connection.run("DELETE FROM cars WHERE id IN (?, ?)", repeat each pack)
            try connection.run("DELETE FROM cars WHERE id IN (?, ?)", make())
            try connection.execute("DELETE FROM cars; DELETE FROM owners", parameters: values)
            let s = try connection.prepare("DELETE FROM cars WHERE id IN (?, ?)"); try fill(s)
            let s = try connection.prepare("DELETE FROM cars WHERE id = ?"); try s.bind(values).run()
            let s = try connection.prepare("DELETE FROM cars WHERE id = ?"); use(s, bind(1, 2))
            let s = try connection.prepare("DELETE FROM cars WHERE id = ?"); try own.s.bind(1, 2)
            try connection.run("DELETE FROM cars WHERE id = ?", isNew ? 1 : 2)
            try connection.run("DELETE FROM cars WHERE id IN (?, ?)", [isNew ? 1 : 2, 3])
            try connection.run("DELETE FROM cars WHERE id IN (?, ?)", Dictionary<Int, Int>().count, 1)
            """#.cases
    )
    func whatMayBeRightIsLeftAlone(body: String) throws {
        try LintSources(LintTwins.program(body)).expect([])
    }

    /// A dump takes its target beside the values.
    @Test func theStatementOfADumpIsChecked() throws {
        let body = """
            var dump = ""
            try connection.dump("SELECT name FROM cars WHERE name = ?", "Audi", to: &dump)
            try connection.▸dump("SELECT name FROM cars WHERE name = ?", to: &dump)
            """
        try LintSources(LintTwins.program(body))
            .expect(["error: the statement has 1 parameter, but got 0 values"])
    }
}
