// 5.1's schema version is read as the library reads it.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

// From every older state to every newer one.
struct MigrationMatrixTests {
    private let garage: Garage

    init() throws {
        garage = try Garage()
    }

    @Test func everyOlderStateComesToTheEnd() throws {
        for start in 0...Garage.stages.count {
            let connection = try Garage.database(after: start)
            #expect(
                try Contents(connection)
                    == garage.states[start].with(names: start == 0 ? nil : names(upTo: start))
            )

            let migrator = connection.migrator(Garage.migrations)
            #expect(try migrator.applied() == names(upTo: start))
            #expect(try migrator.pending() == Array(Garage.names[start...]))
            let report = try migrator.run()

            #expect(report.migrations == Array(Garage.names[start...]))
            #expect(try migrator.applied() == Garage.names)
            #expect(try migrator.pending() == [])
            #expect(try migrator.unknown() == [])
            #expect(try Contents(connection) == garage.states[Garage.stages.count])
            #expect(try enforcesForeignKeys(connection))
        }
    }

    @Test func everyOlderStateComesToEveryNewerOne() throws {
        for start in 0..<Garage.stages.count {
            for end in max(start, 1)...Garage.stages.count {
                let connection = try Garage.database(after: start)
                let report = try migrate(connection, Garage.migrations, upTo: Garage.names[end - 1])

                #expect(report.migrations == Array(Garage.names[start..<end]))
                #expect(try Contents(connection) == garage.states[end], "from \(start) to \(end)")
                let pending = try connection.migrator(Garage.migrations)
                    .pending()
                #expect(pending == Array(Garage.names[end...]))
            }
        }
    }

    @Test func noStateGoesBack() throws {
        for start in 2...Garage.stages.count {
            let connection = try Garage.database(after: start)
            for end in 1..<start {
                let name = Garage.names[end - 1]
                try expectUntouched(connection, .inconsistent, containing: name) {
                    try migrate(connection, Garage.migrations, upTo: name)
                }
            }
        }
    }

    @Test(arguments: ["WAL", "DELETE"])
    func aFileIsMigratedStepByStepByOneProcessAfterTheOther(journalMode: String) throws {
        let folder = try TemporaryFolder()
        try folder.connection().execute("PRAGMA journal_mode = \(journalMode)")
        for (index, name) in Garage.names.enumerated() {
            let connection = try folder.connection()
            try connection.execute("PRAGMA synchronous = OFF")
            #expect(try migrate(connection, Garage.migrations, upTo: name).migrations == [name])
            try connection.close()

            let reader = try folder.connection()
            #expect(try Contents(reader) == garage.states[index + 1])
            try expectSound(reader)
            try reader.close()
        }
    }

    @Test func theEndIsTheSameHoweverTheRunsAreCut() throws {
        let connection = try Connection()
        for count in 1...Garage.stages.count {
            // The program of that time knew no more.
            try migrate(connection, Array(Garage.migrations.prefix(count)))
            #expect(try Contents(connection) == garage.states[count])
        }
    }

    @Test func aRunWithNothingToDoChangesNothing() throws {
        let connection = try Garage.database(after: Garage.stages.count)
        let (changes, version) = (connection.totalChanges, try connection.schemaVersion())
        let report = try migrate(connection, Garage.migrations)

        #expect(report.migrations == [])
        #expect(report.changedRowCount == 0)
        #expect(report.schemaChanges == [])
        #expect(connection.totalChanges == changes)
        #expect(try connection.schemaVersion() == version)
    }

    @Test func noMigrationsAtAllAreFine() throws {
        let connection = try Connection()
        #expect(try migrate(connection, []).migrations == [])
        #expect(try Contents(connection) == garage.states[0])
    }

    private func names(upTo count: Int) -> [String] {
        Array(Garage.names.prefix(count))
    }
}
