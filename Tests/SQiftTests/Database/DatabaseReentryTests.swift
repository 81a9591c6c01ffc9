import Foundation
import SQift
import Testing

extension ConcurrencySuites {
    @Suite struct DatabaseReentryTests {
        private let folder: DatabaseFolder
        private let database: Database

        init() throws {
            folder = try DatabaseFolder()
            database = try folder.open { $0.maximumReaderCount = 2 }
            try database.write { try $0.execute("CREATE TABLE t(x)") }
        }

        private func expectUsable(
            _ database: Database,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            try database.write { connection in
                try connection.run("DELETE FROM t")
                try add(1, on: connection)
            }
            for access in Access.own {
                let seen = try access.run(on: database) { try count("t", on: $0) }
                #expect(seen == 1, sourceLocation: sourceLocation)
            }
        }

        @Test(arguments: Access.allCases, Access.allCases)
        func anAccessInsideAnAccessThrowsAndTheOuterOneGoesOn(outer: Access, inner: Access) throws {
            let (reason, answer) = try outer.run(on: database) {
                connection -> (AccessError.Reason?, Int) in
                let reason = try refusedWith { try inner.run(on: database) { _ in } }
                return try (reason, connection.query("SELECT 42"))
            }
            #expect(reason == .reentrant)
            #expect(answer == 42)
            try expectUsable(database)
        }

        @Test(arguments: Access.own, Access.own)
        func inADatabaseInMemoryTheRuleIsTheSame(outer: Access, inner: Access) throws {
            let memory = try Database(
                storageLocation: .inMemory,
                configuration: Database.Configuration()
            )
            try memory.write { try $0.execute("CREATE TABLE t(x)") }
            let reason = try outer.run(on: memory) { _ in
                try refusedWith { try inner.run(on: memory) { _ in } }
            }
            #expect(reason == .reentrant)
            try expectUsable(memory)
        }

        @Test(arguments: Access.own, Access.own)
        func throughADispatchQueueOnTheSameThreadItThrowsToo(outer: Access, inner: Access) throws {
            let reason = try outer.run(on: database) { _ in
                try DispatchQueue.global().sync {
                    try refusedWith { try inner.run(on: database) { _ in } }
                }
            }
            #expect(reason == .reentrant)
            try expectUsable(database)
        }

        @Test(arguments: Access.own, Access.own)
        func throughAnotherDatabaseItThrowsToo(outer: Access, inner: Access) throws {
            let other = try Database(path: folder.path("other.sqlite"))
            let reason = try outer.run(on: database) { _ in
                try other.write { connection in
                    try connection.execute("CREATE TABLE t(x)")
                    return try refusedWith { try inner.run(on: database) { _ in } }
                }
            }
            #expect(reason == .reentrant)
            try expectUsable(database)
            try expectUsable(other)
        }

        @Test(arguments: Access.own, Access.own)
        func anotherDatabaseMayBeUsedInside(outer: Access, inner: Access) throws {
            let other = try Database(path: folder.path("other.sqlite"))
            let answer: Int = try outer.run(on: database) { _ in
                try inner.run(on: other) { try $0.query("SELECT 42") }
            }
            #expect(answer == 42)
        }

        @Test func anUncaughtReentryUndoesTheWrite() throws {
            let reason = try refusedWith {
                try database.write { connection in
                    try add(1, on: connection)
                    try database.read { _ in }
                }
            }
            #expect(reason == .reentrant)
            #expect(try rows(database) == 0)
            try expectUsable(database)
        }

        @Test(arguments: Access.own, Access.own)
        func aPreparationIsInsideTheAccess(outer: Access, inner: Access) throws {
            let reasons = SharedNotes<AccessError.Reason?>()
            database.prepareConnections { [weak database] _ in
                guard let database else { return }
                reasons.note(try refusedWith { try inner.run(on: database) { _ in } })
            }
            try outer.run(on: database) { _ in }
            #expect(reasons.all == [.reentrant])
            try expectUsable(database)
        }

        @Test func theErrorSaysWhatToDo() throws {
            try database.read { _ in
                let error = expectThrows(AccessError.self) { try database.read { _ in } }
                let message = error?.message ?? ""
                #expect(message.contains(folder.path()))
                #expect(error?.description == message)
                #expect(error?.localizedDescription == message)
            }
        }

        @Test(arguments: Access.allCases) func upkeepInsideAnAccessThrowsOrDoesntWait(
            outer: Access
        ) throws {
            let reasons = try outer.run(on: database) { _ -> [AccessError.Reason?] in
                database.interrupt()
                database.releaseMemory()
                database.resume()
                database.prepareConnections { _ in }
                return try [
                    refusedWith { try database.checkpoint() },
                    refusedWith { try database.suspend() },
                    refusedWith { try database.close() },
                    refusedWith { try database.close(interrupting: true) },
                ]
            }
            #expect(reasons == [.reentrant, .reentrant, .reentrant, .reentrant])
            try expectUsable(database)
        }

        @Test(arguments: [
            Access.write, .writeWithoutTransaction, .executeWrite, .queueWrite, .queueExecute,
        ])
        func anotherThreadMayReadWhileAClosureWaitsForIt(outer: Access) throws {
            let seen = try outer.run(on: database) { _ in
                try SideThread { try rows(database) }.value()
            }
            #expect(seen == 0)
        }

        @Test(arguments: [Access.read, .executeRead, .poolRead, .poolExecute])
        func anotherThreadMayWriteWhileAClosureWaitsForIt(outer: Access) throws {
            try outer.run(on: database) { _ in
                try SideThread { try database.write { try add(1, on: $0) } }.value()
            }
            #expect(try rows(database) == 1)
        }
    }
}
