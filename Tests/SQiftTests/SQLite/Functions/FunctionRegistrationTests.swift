import Foundation
import SQift
import SQiftTestSupport
import Testing

/// What a closure holds, so that its release can be seen.
private final class Witness {}

struct FunctionRegistrationTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    // MARK: Adding and removing

    @Test func aFunctionReplacesTheOneWithItsNameAndNumberOfArguments() throws {
        let sql = "SELECT f(1) || f(1, 2)"
        try connection.addFunction(named: "f") { (a: Int) in "old" }
        try connection.addFunction(named: "f") { (a: Int, b: Int) in "pair" }
        try #expect(connection.query(sql) == "oldpair")
        let prepared = try connection.prepare(sql)
        try connection.addFunction(named: "F") { (a: Int) in "new" }
        try #expect(connection.query(sql) == "newpair")
        try #expect(prepared.query() == "newpair")
    }

    @Test func aBuiltInFunctionCanBeReplaced() throws {
        try connection.addFunction(named: "upper") { (text: String) in text.uppercased() }
        try #expect(connection.query("SELECT UPPER('été')") == "ÉTÉ")
    }

    @Test func removingMakesAFunctionUnknown() throws {
        try connection.addFunction(named: "Größe") { (a: Int) in a }
        try connection.addFunction(named: "f") { (a: Int) in a }
        try connection.addFunction(named: "f") { (values: [BindingValue]) in -1 }
        try #expect(connection.query("SELECT f(1)") == 1)
        try connection.removeFunction(named: "f", argumentCount: -7)
        try #expect(connection.query("SELECT f(1)") == 1)
        try connection.removeFunction(named: "F", argumentCount: 1)
        expectSQLiteError { try connection.run("SELECT f(1)") }
        try #expect(connection.query("SELECT größE(3)") == 3)
        try connection.removeFunction(named: "GRößE", argumentCount: 1)
        expectSQLiteError { try connection.run("SELECT Größe(3)") }
    }

    @Test func removingOneNumberOfArgumentsHidesTheFormThatTakesAnyForIt() throws {
        try connection.addFunction(named: "f") { (a: Int) in "one" }
        try connection.addFunction(named: "f") { (values: [BindingValue]) in "any" }
        try connection.removeFunction(named: "f", argumentCount: 1)
        try #expect(connection.query("SELECT f(1, 2)") == "any")
        expectSQLiteError(.error) { try connection.run("SELECT f(1)") }
    }

    @Test func removingWhatIsNotThereIsNoError() throws {
        try connection.removeFunction(named: "nosuchfunction", argumentCount: 2)
    }

    @Test(arguments: [
        "", String(repeating: "x", count: 256), String(repeating: "é", count: 128), "a\0b",
    ])
    func aBadNameIsMisuse(name: String) throws {
        weak var witness: Witness?
        do {
            let held = Witness()
            witness = held
            let attempts: [() throws -> Void] = [
                { try connection.addFunction(named: name) { withExtendedLifetime(held) { 1 } } },
                {
                    try connection.addFunction(named: name) { (_: [BindingValue]) in
                        withExtendedLifetime(held) { 1 }
                    }
                },
                {
                    try connection.addScalarFunction(named: name, argumentCount: 1) { _, _ in
                        withExtendedLifetime(held) { .null }
                    }
                },
            ]
            for attempt in attempts {
                #expect(sqliteError(attempt)?.resultCode == .misuse)
            }
        }
        #expect(witness == nil)
    }

    @Test func aNameMayHave255Bytes() throws {
        let name = String(repeating: "é", count: 127) + "x"
        try connection.addFunction(named: name) { 5 }
        try #expect(connection.query("SELECT \(name)()") == 5)
        try connection.removeFunction(named: name, argumentCount: 0)
        expectSQLiteError { try connection.run("SELECT \(name)()") }
    }

    @Test func aNameThatIsNoIdentifierIsQuoted() throws {
        try connection.addFunction(named: "a \"b\" + c") { 5 }
        try #expect(connection.query("SELECT \("a \"b\" + c".sqift.quotedIdentifier)()") == 5)
    }

    @Test func aClosedConnectionTakesNoFunction() throws {
        try connection.close()
        expectSQLiteError(.misuse) { try connection.addFunction(named: "f") { 1 } }
        expectSQLiteError { try connection.addFunction(named: "f") { (_: [BindingValue]) in 1 } }
        expectSQLiteError(.misuse) { try connection.removeFunction(named: "f", argumentCount: 0) }
    }

    @Test func replacingAndRemovingWhileAStatementRunsIsBusy() throws {
        try connection.addFunction(named: "f") { (n: Int) in "old \(n)" }
        var texts: [String] = []
        try connection.forEachRow("SELECT f(value) FROM json_each('[1,2]')") { row in
            let replacing = sqliteError {
                try connection.addFunction(named: "F") { (n: Int) in "new" }
            }
            let removing = sqliteError {
                try connection.removeFunction(named: "f", argumentCount: 1)
            }
            #expect(replacing?.resultCode == .busy)
            #expect(removing?.resultCode == .busy)
            try connection.addFunction(named: "other\(texts.count)") { 1 }
            texts.append(try row.get(0))
        }
        #expect(texts == ["old 1", "old 2"])
        try #expect(connection.query("SELECT f(3)") == "old 3")
        try #expect(connection.query("SELECT other0() + other1()") == 2)
    }

    @Test func aFunctionCanNeitherReplaceItselfNorCloseTheConnection() throws {
        try connection.addFunction(named: "f") { [unowned connection] () -> String in
            let codes = [
                sqliteError { try connection.addFunction(named: "f") { "new" } }?.resultCode,
                sqliteError { try connection.removeFunction(named: "f", argumentCount: 0) }?
                    .resultCode,
                sqliteError { try connection.close() }?.resultCode,
            ]
            return "\(codes == [.busy, .busy, .busy])"
        }
        try #expect(connection.query("SELECT f()") == "true")
        try #expect(connection.query("SELECT f()") == "true")
    }

    @Test func indexesAndGeneratedColumnsDemandADeterministicFunction() throws {
        try connection.addFunction(named: "steady", deterministic: true) { (a: String) in
            a.uppercased()
        }
        try connection.addFunction(named: "fickle") { (a: String) in a.uppercased() }
        try connection.execute(
            "CREATE TABLE t(x TEXT, y AS (steady(x)) STORED); CREATE INDEX i ON t(steady(x))"
        )
        try connection.run("INSERT INTO t(x) VALUES('abc')")
        try #expect(connection.query("SELECT y FROM t WHERE steady(x) = 'ABC'") == "ABC")
        expectSQLiteError(containing: "non-deterministic") {
            try connection.run("CREATE INDEX j ON t(fickle(x))")
        }
        expectSQLiteError(containing: "non-deterministic") {
            try connection.run("CREATE TABLE u(x TEXT, y AS (fickle(x)))")
        }
    }

    @Test func aVariadicFunctionMayBeDeterministicToo() throws {
        try connection.addFunction(named: "steady", deterministic: true) {
            (values: [BindingValue]) in values.count
        }
        try connection.execute("CREATE TABLE t(x); CREATE INDEX i ON t(steady(x, 1))")
    }

    @Test func aDirectOnlyFunctionIsRefusedInTheSchema() throws {
        var calls = 0
        for isDirectOnly in [false, true] {
            let connection = try Connection()
            try connection.addFunction(named: "f", directOnly: isDirectOnly) { (a: Int) in
                calls += 1
                return a + 1
            }
            try connection.addFunction(named: "g", directOnly: isDirectOnly) {
                (_: [BindingValue]) in 1
            }
            try connection.execute(
                """
                CREATE TABLE t(x); CREATE TABLE u(x);
                CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO u VALUES(f(new.x)); END;
                CREATE VIEW v AS SELECT f(1) AS x; CREATE VIEW w AS SELECT g(1) AS x;
                """
            )
            try #expect(connection.query("SELECT f(1) + g(1)") == 3)
            for sql in ["INSERT INTO t VALUES(1)", "SELECT x FROM v", "SELECT x FROM w"] {
                let isRefused = (try? connection.run(sql)) == nil
                #expect(isRefused == isDirectOnly, "\(sql)")
            }
            try expectRows(isDirectOnly ? 0 : 1, of: "u", on: connection)
        }
        #expect(calls == 4)
    }

    // MARK: Release

    @Test func closuresAreReleasedWhenTheyAreNoLongerNeeded() throws {
        try expectReleased { connection, keepsake in
            guard let keepsake else {
                return try connection.removeFunction(named: "f", argumentCount: 1)
            }
            try connection.addFunction(named: "F") { (_: Int) in
                withExtendedLifetime(keepsake) { 1 }
            }
            try connection.run("SELECT f(1)")
        }
        try expectReleased { connection, keepsake in
            guard let keepsake else {
                return try connection.removeFunction(named: "f", argumentCount: -1)
            }
            try connection.addFunction(named: "F") { (_: [BindingValue]) in
                withExtendedLifetime(keepsake) { 1 }
            }
            try connection.run("SELECT f(1)")
        }
    }

    @Test func theClosureOfAFailedReplacementIsReleasedAndTheOldOneStays() throws {
        weak var old: Witness?
        weak var new: Witness?
        func add(_ witness: Witness) throws {
            try connection.addFunction(named: "f") { (_: Int) in withExtendedLifetime(witness) { 1 }
            }
        }
        do {
            let held = Witness()
            old = held
            try add(held)
        }
        try connection.forEachRow("SELECT f(1)") { _ in
            let held = Witness()
            new = held
            expectSQLiteError { try add(held) }
        }
        #expect(old != nil)
        #expect(new == nil)
        try #expect(connection.query("SELECT f(1)") == 1)
    }
}
