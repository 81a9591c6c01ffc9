import SQift
import SQiftTestSupport
import Testing

// Why a migrator doesn't run, in words.
struct MigratorMessageTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    @Test func aNewerDatabaseIsToldByWhatItHas() throws {
        try migrate(connection, [creating("1"), creating("2")])
        let error = try expectUntouched(connection, .databaseIsNewer) {
            try migrate(connection, [creating("1")])
        }
        let words = "the database is newer than the program: it has migration 2, which the program"
        #expect(error?.message.hasPrefix(words) == true, "\(error?.message ?? "")")
    }

    @Test func aNewerVersionIsToldByItsNumber() throws {
        let newer = Migrator(connection: connection, desiredSchemaVersion: 5)
        try newer.runMigrationsIfNecessary { _ in "" }
        let named = Migration("a", sql: "CREATE TABLE a(x)", replacesVersion: 3)
        try expectUntouched(connection, .databaseIsNewer, containing: "it has version 5, which") {
            try migrate(connection, [named])
        }
        let older = Migrator(connection: connection, desiredSchemaVersion: 4)
        migratorError(.databaseIsNewer, containing: "it has version 5, which") {
            try older.runMigrationsIfNecessary { _ in "" }
        }
    }

    @Test func editsAreToldWithTheWayOut() throws {
        try migrate(connection, [creating("1"), creating("2")])
        let error = try expectUntouched(connection, .edited) {
            try migrate(connection, [creating("a", named: "1"), creating("b", named: "2")])
        }
        #expect(
            error?.message
                == "these migrations were edited after they had run, write a new one instead: 1, 2"
        )
    }

    @Test func aMigrationThatClosesItsConnectionIsToldSo() throws {
        for options in [Migration.Options(), .withoutTransaction] {
            let folder = try TemporaryFolder()
            let connection = try folder.connection()
            let closing = Migration("closing", options: options) { try $0.close() }
            migratorError(.failed, containing: "migration closing", "closed") {
                try migrate(connection, [closing])
            }
            #expect(try recordedNames(on: folder.connection()) == nil)
        }
    }
}
