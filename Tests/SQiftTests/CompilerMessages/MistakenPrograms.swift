private let isOneRow =
    "without a type this is a Row?, the first row; for all: query(…) as [Row]"
private let isNoResult =
    "a result is T, T?, [T] or [Key: Value]; T needs Binding or ExpressibleByRow"
private let isNoClosure =
    "a closure of T makes a T? or a [T], and a closure of (Key, Value) makes a [Key: Value]"
private let hasNoType =
    "name the type: let name: String = try row.get(…); your own types need Binding"
private let mustBeSendable =
    "await it in a function, not in main.swift; name the result's type, a Sendable one"

/// Mistakes, and part of what the compiler has to say about each.
let mistakenPrograms = [
    Program(
        "structsAsTuples",
        """
        struct Car: ExpressibleByRow {
            init(row: Row) throws {}
        }
        let cars = try c.query("SELECT 1", as: Car.self)
        print(cars)
        """,
        "as: reads tuples, as in (String, Int).self; for rows of a type of your own name the"
    ),
    Program(
        "listOfStructsAsTuples",
        """
        struct Car: ExpressibleByRow {
            init(row: Row) throws {}
        }
        let cars = try c.query("SELECT 1", as: [Car].self)
        print(cars)
        """,
        "as: reads tuples, as in (String, Int).self; for rows of a type of your own name the"
    ),
    Program(
        "countOfAnUntypedQuery",
        """
        let rows = try c.query("SELECT * FROM t")
        print(rows.count)
        """,
        "in call to function 'count(where:)'"
    ),
    Program(
        "loopOverAnUntypedQuery",
        """
        for row in try c.query("SELECT * FROM t") { print(row) }
        """,
        isOneRow
    ),
    Program(
        "structWithoutExpressibleByRow",
        """
        struct Plain { var n: Int }
        let all: [Plain] = try c.query("SELECT 1")
        print(all)
        """,
        isNoResult
    ),
    Program(
        "awaitedRows",
        """
        func f(_ d: Database) async throws {
            let rows: [Row] = try await d.read { try $0.query("SELECT 1") }
            print(rows)
        }
        """,
        mustBeSendable
    ),
    Program(
        "tuples",
        """
        let pairs: [(Int, String)] = try c.query("SELECT 1, 2")
        print(pairs)
        """,
        isNoResult
    ),
    Program(
        "structWithoutBinding",
        """
        struct Plain { var n: Int }
        try c.run("INSERT INTO t VALUES(?)", Plain(n: 1))
        """,
        "requires that 'Plain' conform to 'Bindable'"
    ),
    Program(
        "untypedColumn",
        """
        let row = try c.query("SELECT 1 AS a")
        print(try row?.get("a"))
        """,
        hasNoType
    ),
    Program(
        "untypedColumnVariable",
        """
        if let row = try c.query("SELECT 1 AS a") {
            let value = try row.get("a")
            print(value)
        }
        """,
        hasNoType
    ),
    Program(
        "untypedColumnByIndex",
        """
        try c.forEachRow("SELECT 1 AS a") { row in print(try row.get(0)) }
        """,
        hasNoType
    ),
    Program(
        "wrongDefault",
        """
        let name: String = try c.query("SELECT 1") ?? 3
        print(name)
        """,
        "cannot convert value of type 'Int' to specified type 'String'"
    ),
    Program(
        "capturedConnection",
        """
        func f(_ d: Database, _ c: Connection) async throws {
            try await d.write { _ in try c.run("SELECT 1") }
        }
        """,
        "capture of 'c' with non-Sendable type 'Connection'",
        isRightInMode5: true
    ),
    Program(
        "functionWithoutTypes",
        """
        try c.addFunction(named: "f") { text in text.lowercased() }
        """,
        "cannot infer type of closure parameter"
    ),
    Program(
        "arrayForNames",
        """
        try c.run("SELECT 1", parameters: [1, 2])
        """,
        "did you mean to use a dictionary literal instead?"
    ),
    Program(
        "labelOnQuery",
        """
        let n: Int = try c.query("SELECT :a", parameters: ["a": 1])
        print(n)
        """,
        "extraneous argument label 'parameters:' in call"
    ),
    Program(
        "codableWithBindingOnly",
        """
        struct Engine: Codable, Binding { var n: Int }
        try c.run("SELECT ?", Engine(n: 1))
        """,
        "candidate would match if 'Engine' conformed to 'CodableBinding'"
    ),
    Program(
        "missingTry",
        """
        c.run("INSERT INTO t VALUES(1)")
        """,
        "call can throw but is not marked with 'try'"
    ),
    Program(
        "awaitedStatement",
        """
        func f(_ d: Database) async throws {
            let s: Statement = try await d.read { try $0.prepare("SELECT 1") }
            print(s)
        }
        """,
        mustBeSendable
    ),
    Program(
        "rowTypeWithoutInitializer",
        """
        struct Car: ExpressibleByRow { let name: String }
        let cars: [Car] = try c.query("SELECT 1")
        print(cars)
        """,
        "type 'Car' does not conform to protocol 'ExpressibleByRow'"
    ),
    Program(
        "untypedTransaction",
        """
        let n = try c.transaction { try c.query("SELECT 1") }
        print(n)
        """,
        "implicitly coerced from 'Row?' to 'Any'"
    ),
    Program(
        "wrongLabel",
        """
        let n: Int = try c.query("SELECT ?", value: 1)
        print(n)
        """,
        "extraneous argument label 'value:'"
    ),
    Program(
        "misspelling",
        """
        try c.qury("SELECT 1")
        """,
        "has no member 'qury'"
    ),
    Program(
        "enumerationsOfAResult",
        """
        enum Color: String { case red }
        let colors: [Color] = try c.query("SELECT 1")
        print(colors)
        """,
        isNoResult
    ),
    Program(
        "setOfAResult",
        """
        let names: Set<String> = try c.query("SELECT 1")
        print(names)
        """,
        isNoResult
    ),
    Program(
        "dictionariesOfAResult",
        """
        let all: [[String: BindingValue]] = try c.query("SELECT 1")
        print(all)
        """,
        isNoResult
    ),
    Program(
        "substring",
        """
        let text: Substring = try c.query("SELECT 1")
        print(text)
        """,
        isNoResult
    ),
    Program(
        "setOfAClosure",
        """
        let all: Set<Int> = try c.query("SELECT 1") { row in (try row.get(0) as Int) }
        print(all)
        """,
        isNoClosure
    ),
    Program(
        "optionalsOfOthers",
        """
        let names: [String]? = nil
        if names.isEmpty { print(names as Any) }
        """,
        "value of optional type '[String]?' must be unwrapped"
    ),
]
