import SQift
import SQiftTestSupport
import Testing

// A squash of a squash. Databases have the old migrations, or the first squash, or nothing.
struct SecondSquashTests {
    private static let base1 = "-- sqift: replaces 0001-a 0002-b\n" + sql("a", "b")
    private static let base2 = """
        -- sqift: replaces 0001-a 0002-b 0003-c
        -- sqift: replaces 0010-base1 0003-c
        \(sql("a", "b", "c"))
        """

    private static func sql(_ tables: String...) -> SQL {
        tables.map { "CREATE TABLE \($0)(x);" }.joined(separator: "\n")
    }

    private func migrations(_ files: KeyValuePairs<String, SQL>) throws -> [Migration] {
        try MigrationFolder(files).load()
    }

    private func old() throws -> [Migration] {
        try migrations([
            "0001-a.sql": Self.sql("a"), "0002-b.sql": Self.sql("b"), "0003-c.sql": Self.sql("c"),
        ])
    }

    private func withFirstSquash() throws -> [Migration] {
        let squash = try migrations(["0010-base1.sql": Self.base1])
        return try squash + old().suffix(1)
    }

    private func withSecondSquash() throws -> [Migration] {
        try migrations(["0020-base2.sql": Self.base2]) + [creating("d")]
    }

    @Test func everyDatabaseThatIsCompleteHasIt() throws {
        let (old, first) = (try old(), try withFirstSquash())
        for programs in [[old], [first], [Array(old.prefix(2)), first], [old, first]] {
            let connection = try Connection()
            for program in programs {
                try migrate(connection, program)
            }
            let migrator = try connection.migrator(withSecondSquash())
            #expect(try migrator.unknown() == [])
            #expect(try migrator.pending() == ["d"])
            #expect(try migrator.run().migrations == ["d"])
            #expect(try recordedNames(on: connection)?.sorted() == ["0020-base2", "d"])
            #expect(try tables(of: connection) == ["a", "b", "c", "d"])
            #expect(try migrator.run().migrations == [])
        }
    }

    @Test func anEmptyDatabaseRunsIt() throws {
        let connection = try Connection()
        #expect(try migrate(connection, withSecondSquash()).migrations == ["0020-base2", "d"])
        #expect(try tables(of: connection) == ["a", "b", "c", "d"])
    }

    /// Such a database is older than the program.
    @Test func aPartOfEachListIsRefusedAndNeverCalledNewer() throws {
        let (old, first) = (try old(), try withFirstSquash())
        let parts = [(Array(old.prefix(1)), "0002-b"), (Array(old.prefix(2)), "0003-c")]
        for (program, missing) in parts + [(Array(first.prefix(1)), "0003-c")] {
            let connection = try Connection()
            try migrate(connection, program)
            let error = try expectUntouched(
                connection,
                .inconsistent,
                at: "0020-base2",
                containing: missing,
                "older"
            ) {
                try migrate(connection, withSecondSquash())
            }
            #expect(error?.message.contains("newer") == false, "\(error?.message ?? "")")
        }
    }

    /// The list forgets the databases of those who skipped the first squash.
    @Test func aListThatIsMissingIsToldAndNotCalledNewer() throws {
        let onlyLater = try migrations([
            "0020-base2.sql": "-- sqift: replaces 0010-base1 0003-c\nSELECT 1"
        ])
        let connection = try Connection()
        try migrate(connection, old())
        let error = try expectUntouched(connection, .inconsistent, containing: "0010-base1") {
            try migrate(connection, onlyLater)
        }
        #expect(error?.message.contains("newer") == false, "\(error?.message ?? "")")
    }

    /// Nothing that it has is known, so it may be either.
    @Test func whatNoListNamesMayBeOlderOrNewer() throws {
        let connection = try Connection()
        try migrate(connection, [creating("x"), creating("y")])
        try expectUntouched(connection, .databaseIsNewer, containing: "x", "0020-base2", "older") {
            try migrate(connection, withSecondSquash())
        }
    }
}
