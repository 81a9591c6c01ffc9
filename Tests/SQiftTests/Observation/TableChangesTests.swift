// Only the library makes `TableChanges`.
import SQiftTestSupport
import Testing

@testable import SQift

/// The value that says which tables have changed.
struct TableChangesTests {
    private let changes = TableChanges(tables: ["Cars", "Other.T", "Straße", "a.b"])

    @Test(arguments: ["Cars", "cars", "CARS", "main.cars", "MAIN.Cars", "other.t", "Other.T"])
    func aTableIsConcernedInAnyCase(table: String) {
        #expect(changes.concerns(table))
    }

    @Test(arguments: ["straße", "A.B", "main.a.b"])
    func soAreUnusualNames(table: String) {
        #expect(changes.concerns(table))
    }

    @Test(arguments: ["car", "cars2", "t", "main.t", "other.cars", "temp.cars", "other", ""])
    func otherTablesAreNot(table: String) {
        #expect(!changes.concerns(table))
    }

    @Test(arguments: [
        TableChanges(schemaChanged: true),
        TableChanges(includesAllTables: true),
        TableChanges(tables: ["x"], schemaChanged: true),
        TableChanges(includesAllTables: true, isExternal: true),
    ])
    func everyTableIsConcernedByTheSchemaAndByUnknownTables(changes: TableChanges) {
        #expect(changes.concerns("anything"))
        #expect(changes.concerns("other.anything"))
    }

    @Test func nothingConcernsNothing() {
        #expect(!TableChanges().concerns("t"))
        #expect(TableChanges() == .commit())
    }

    @Test func changesAreUnited() {
        var united = TableChanges(tables: ["a"])
        united.formUnion(TableChanges(tables: ["a", "b"]))
        #expect(united == .commit("a", "b"))
        united.formUnion(TableChanges(schemaChanged: true))
        united.formUnion(TableChanges(includesAllTables: true))
        united.formUnion(TableChanges())
        #expect(!united.isExternal)
        united.formUnion(TableChanges(isExternal: true))
        let expected = TableChanges(
            tables: ["a", "b"],
            schemaChanged: true,
            includesAllTables: true,
            isExternal: true
        )
        #expect(united == expected)
        #expect(Set([united, expected]).count == 1)
    }
}
