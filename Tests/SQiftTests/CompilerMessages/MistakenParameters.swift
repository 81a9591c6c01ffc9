private let cantBeBound = """
    a value's type needs Binding, as in enum Fuel: String, Binding; a list needs ArrayBinding and \
    json_each(?), a dictionary DictionaryBinding
    """

/// Values that can't be bound in all the calls that bind some.
let mistakenParameters = [
    Program(
        "dictionaryOfAnything",
        """
        let values: [String: Any] = ["x": 1]
        try c.run("INSERT INTO t VALUES(:x)", values)
        """,
        "values of Any can't be bound; the dictionary's type is [String: (any Bindable)?]"
    ),
    Program(
        "dictionaryOfAnythingForQuery",
        """
        let values: [String: Any] = ["x": 1]
        let n: Int? = try c.query("SELECT 1 WHERE :x", values)
        print(n as Any)
        """,
        "values of Any can't be bound; the dictionary's type is [String: (any Bindable)?]"
    ),
    Program(
        "dictionaryOfAnythingForAStatement",
        """
        let values: [String: Any] = ["x": 1]
        let s = try c.prepare("SELECT :x", values)
        try s.bind(values).run()
        """,
        "values of Any can't be bound; the dictionary's type is [String: (any Bindable)?]"
    ),
    Program(
        "integerOf128Bits",
        """
        try c.run("INSERT INTO t VALUES(?)", Int128(1))
        """,
        "SQLite's integers have 64 bits"
    ),
    Program(
        "columnOf128Bits",
        """
        let n: UInt128 = try c.query("SELECT 1")
        print(n)
        """,
        "SQLite's integers have 64 bits"
    ),
    Program(
        "enumerationForRun",
        """
        enum Color: String { case red }
        try c.run("INSERT INTO t VALUES(?)", Color.red)
        """,
        cantBeBound
    ),
    Program(
        "enumerationVariable",
        """
        enum Color: String { case red }
        let color = Color.red
        try c.run("INSERT INTO t VALUES(?)", color)
        """,
        cantBeBound
    ),
    Program(
        "enumerationForQuery",
        """
        enum Color: String { case red }
        let n: Int? = try c.query("SELECT 1 WHERE ?", Color.red)
        print(n as Any)
        """,
        cantBeBound
    ),
    Program(
        "enumerationAsSecond",
        """
        enum Color: String { case red }
        try c.run("INSERT INTO t VALUES(?, ?)", 1, Color.red)
        """,
        cantBeBound
    ),
    Program(
        "enumerationForUntyped",
        """
        enum Color: String { case red }
        let row = try c.query("SELECT 1 WHERE ?", Color.red)
        print(row as Any)
        """,
        cantBeBound
    ),
    Program(
        "enumerationForPrepare",
        """
        enum Color: String { case red }
        try c.prepare("SELECT ?", Color.red).run()
        """,
        cantBeBound
    ),
    Program(
        "enumerationForBind",
        """
        enum Color: String { case red }
        try c.prepare("SELECT ?").bind(Color.red).run()
        """,
        cantBeBound
    ),
    Program(
        "enumerationInAnArray",
        """
        enum Color: String { case red }
        try c.run("INSERT INTO t VALUES(?)", [Color.red])
        """,
        cantBeBound
    ),
    Program(
        "enumerationForEachRow",
        """
        enum Color: String { case red }
        try c.forEachRow("SELECT ?", Color.red) { row in print(row) }
        """,
        "cannot convert value of type 'Color' to expected argument type"
    ),
    Program(
        "enumerationInAnAccess",
        """
        enum Color: String { case red }
        func f(_ d: Database) async throws {
            try await d.write { try $0.run("SELECT ?", Color.red) }
        }
        """,
        cantBeBound
    ),
    Program(
        "setForAList",
        """
        try c.run("DELETE FROM t WHERE a NOT IN (?)", Set([1, 2]))
        """,
        cantBeBound
    ),
    Program(
        "listInOneValue",
        """
        try c.run("SELECT ?, ?", 1, [2, 3])
        """,
        cantBeBound
    ),
]
