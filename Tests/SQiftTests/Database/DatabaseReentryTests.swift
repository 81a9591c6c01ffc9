import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    struct DatabaseReentryTests {
        private let folder = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.openWithTable { $0.maximumReaderCount = 2 }
        }

        private func expectUsable(
            _ database: Database,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            try database.write { connection in
                try connection.run("DELETE FROM t")
                try add(1, on: connection)
            }
            for access in DatabaseAccess.own {
                let seen = try access.run(on: database) { try count("t", on: $0) }
                #expect(seen == 1, sourceLocation: sourceLocation)
            }
        }

        @Test(arguments: DatabaseAccess.allCases, DatabaseAccess.allCases)
        func anAccessInsideAnAccessThrowsAndTheOuterOneGoesOn(
            outer: DatabaseAccess,
            inner: DatabaseAccess
        ) throws {
            let (reason, answer) = try outer.run(on: database) {
                connection -> (AccessError.Reason?, Int) in
                let reason = try refusal { try inner.run(on: database) { _ in } }
                return try (reason, connection.query("SELECT 42"))
            }
            #expect(reason == .reentrant)
            #expect(answer == 42)
            try expectUsable(database)
        }

        @Test(arguments: DatabaseAccess.own, DatabaseAccess.own)
        func inADatabaseInMemoryTheRuleIsTheSame(
            outer: DatabaseAccess,
            inner: DatabaseAccess
        ) throws {
            let memory = try Database.inMemory()
            try memory.execute("CREATE TABLE t(x)")
            let reason = try outer.run(on: memory) { _ in
                try refusal { try inner.run(on: memory) { _ in } }
            }
            #expect(reason == .reentrant)
            try expectUsable(memory)
        }

        @Test(arguments: DatabaseAccess.own, DatabaseAccess.own)
        func throughADispatchQueueOnTheSameThreadItThrowsToo(
            outer: DatabaseAccess,
            inner: DatabaseAccess
        ) throws {
            let reason = try outer.run(on: database) { _ in
                try DispatchQueue.global().sync {
                    try refusal { try inner.run(on: database) { _ in } }
                }
            }
            #expect(reason == .reentrant)
            try expectUsable(database)
        }

        @Test(arguments: DatabaseAccess.own, DatabaseAccess.own)
        func throughAnotherDatabaseItThrowsToo(outer: DatabaseAccess, inner: DatabaseAccess) throws
        {
            let other = try Database(path: folder.path("other.sqlite"))
            let reason = try outer.run(on: database) { _ in
                try other.write { connection in
                    try connection.execute("CREATE TABLE t(x)")
                    return try refusal { try inner.run(on: database) { _ in } }
                }
            }
            #expect(reason == .reentrant)
            try expectUsable(database)
            try expectUsable(other)
        }

        @Test(arguments: DatabaseAccess.own, DatabaseAccess.own)
        func anotherDatabaseMayBeUsedInside(outer: DatabaseAccess, inner: DatabaseAccess) throws {
            let other = try Database(path: folder.path("other.sqlite"))
            let answer: Int = try outer.run(on: database) { _ in
                try inner.run(on: other) { try $0.query("SELECT 42") }
            }
            #expect(answer == 42)
        }

        @Test func anUncaughtReentryUndoesTheWrite() throws {
            try expectRefusal(.reentrant) {
                try database.write { connection in
                    try add(1, on: connection)
                    try database.read { _ in }
                }
            }
            try expectRows(0, in: database)
            try expectUsable(database)
        }

        @Test(arguments: DatabaseAccess.own, DatabaseAccess.own)
        func aPreparationIsInsideTheAccess(outer: DatabaseAccess, inner: DatabaseAccess) throws {
            let reasons = SharedNotes<AccessError.Reason?>()
            database.prepareConnections { [weak database] _ in
                guard let database else { return }
                reasons.note(try refusal { try inner.run(on: database) { _ in } })
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

        @Test(arguments: DatabaseAccess.allCases) func upkeepInsideAnAccessThrowsOrDoesntWait(
            outer: DatabaseAccess
        ) throws {
            let reasons = try outer.run(on: database) { _ -> [AccessError.Reason?] in
                database.interrupt()
                database.releaseMemory()
                database.resume()
                database.prepareConnections { _ in }
                return try [
                    refusal { try database.checkpoint() },
                    refusal { try database.suspend() },
                    refusal { try database.close() },
                    refusal { try database.close(interrupting: true) },
                ]
            }
            #expect(reasons == [.reentrant, .reentrant, .reentrant, .reentrant])
            try expectUsable(database)
        }

        @Test(arguments: [
            DatabaseAccess.write, .writeWithoutTransaction, .executeWrite, .queueWrite,
            .queueExecute,
        ])
        func anotherThreadMayReadWhileAClosureWaitsForIt(outer: DatabaseAccess) throws {
            let seen = try outer.run(on: database) { _ in
                try Worker { try rows(database) }.value()
            }
            #expect(seen == 0)
        }

        @Test(arguments: [DatabaseAccess.read, .executeRead, .poolRead, .poolExecute])
        func anotherThreadMayWriteWhileAClosureWaitsForIt(outer: DatabaseAccess) throws {
            try outer.run(on: database) { _ in
                try Worker { try database.add(1) }.value()
            }
            try expectRows(1, in: database)
        }
    }
}
