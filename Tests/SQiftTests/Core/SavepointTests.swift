import Foundation
import SQiftTestSupport
import Testing

import SQift

struct SavepointTests {
    private let folder: TemporaryFolder
    private let connection: Connection
    private let other: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.path())
        try connection.execute("CREATE TABLE t(x UNIQUE)")
        other = try Connection(path: folder.path())
    }

    private var committed: [Int] {
        get throws { try values(on: other) }
    }

    @Test func anOutermostOneIsATransaction() throws {
        try connection.savepoint(named: "s") {
            #expect(connection.isInsideTransaction)
            try add(1, on: connection)
            try #expect(committed == [])
        }
        #expect(!connection.isInsideTransaction)
        try #expect(committed == [1])
    }

    @Test func aFailingOutermostOneLeavesNoTransactionOpen() throws {
        for name in [nil, "s"] {
            expectThrows(TestError.self) {
                let body = { () throws -> Void in
                    try add(1, on: connection)
                    throw TestError()
                }
                if let name {
                    try connection.savepoint(named: name, closure: body)
                } else {
                    try connection.savepoint(closure: body)
                }
            }
            #expect(!connection.isInsideTransaction)
            try #expect(values(on: connection) == [])
        }
        try connection.savepoint(named: "s") { try add(2, on: connection) }
        try #expect(committed == [2])
    }

    @Test func aFailingOneUndoesItsOwnWorkOnly() throws {
        try connection.transaction {
            try add(1, on: connection)
            expectSQLiteError(.constraintUnique) {
                try connection.savepoint(named: "s") {
                    try add(2, on: connection)
                    try add(1, on: connection)
                }
            }
            #expect(connection.isInsideTransaction)
            try #expect(values(on: connection) == [1])
            try connection.savepoint(named: "s") { try add(3, on: connection) }
        }
        try #expect(committed == [1, 3])
    }

    @Test func namesMayRepeat() throws {
        try connection.savepoint(named: "same") {
            try add(1, on: connection)
            expectThrows(TestError.self) {
                try connection.savepoint(named: "SAME") {
                    try add(2, on: connection)
                    throw TestError()
                }
            }
            try connection.savepoint(named: "same") { try add(3, on: connection) }
            #expect(connection.isInsideTransaction)
        }
        #expect(!connection.isInsideTransaction)
        try #expect(committed == [1, 3])
    }

    @Test(arguments: [
        "a b", "it's", "\"", "\"\"", "a\"; DROP TABLE t; --", "\"\u{301}", "'\u{301}",
        "x\"\u{301}; DROP TABLE t; --",
        "日本😀",
        "", " ", "SELECT", "1", "[a]", "`a`", "a;b", "--", "/*", "new\nline", "\u{200D}\"\u{FE0F}",
    ])
    func anyNameWorks(name: String) throws {
        try connection.savepoint(named: name) {
            try add(1, on: connection)
            expectThrows(TestError.self) {
                try connection.savepoint(named: name) {
                    try add(2, on: connection)
                    throw TestError()
                }
            }
        }
        #expect(!connection.isInsideTransaction)
        try #expect(committed == [1])
        expectThrows(TestError.self) {
            try connection.savepoint(named: name) { throw TestError() } as Void
        }
        #expect(!connection.isInsideTransaction)
    }

    @Test func aNameWithANULByteIsRefusedBeforeTheClosure() throws {
        expectSQLiteError(.misuse) {
            try connection.savepoint(named: "a\0b") { recordCall() }
        }
        #expect(!connection.isInsideTransaction)
        try connection.savepoint(named: "ab") { try add(1, on: connection) }
    }

    @Test func aReleaseThatFailsIsRolledBack() throws {
        try connection.execute(
            """
            PRAGMA foreign_keys = ON; CREATE TABLE parent(id INTEGER PRIMARY KEY);
            CREATE TABLE child(id REFERENCES parent DEFERRABLE INITIALLY DEFERRED)
            """
        )
        expectSQLiteError(.constraintForeignKey) {
            try connection.savepoint(named: "s") {
                try add(1, on: connection)
                try connection.run("INSERT INTO child VALUES(7)")
            }
        }
        #expect(!connection.isInsideTransaction)
        try #expect(values(on: connection) == [])
        try connection.savepoint(named: "s") { try add(2, on: connection) }
        try #expect(committed == [2])
    }

    @Test func aReleaseThatIsBusyLocksNobodyOut() throws {
        try other.execute("BEGIN; SELECT x FROM t")
        expectSQLiteError(.busy) {
            try connection.savepoint(named: "s") { try add(1, on: connection) }
        }

        let third = try Connection(path: folder.path())
        try #expect(count("t", on: third) == 0)
        try #expect(count("t", on: connection) == 0)
        try connection.transaction { try #expect(count("t", on: connection) == 0) }
        try other.execute("COMMIT")
        try third.execute("INSERT INTO t VALUES(3)")
        try #expect(committed == [3])
    }

    @Test func aClosureMayReleaseItsSavepointItselfAndStaysInIt() throws {
        try connection.transaction {
            try add(1, on: connection)
            try connection.savepoint(named: "s") { try connection.execute("RELEASE s") }
            expectThrows(TestError.self) {
                try connection.savepoint(named: "s") {
                    try connection.execute("RELEASE s")
                    try add(9, on: connection)
                    throw TestError()
                }
            }
            #expect(connection.isInsideTransaction)
            try add(2, on: connection)
        }
        try #expect(committed == [1, 2])
        #expect(!connection.isInsideTransaction)
    }

    @Test func aSavepointLeftOpenInsideEndsWithTheOuterOne() throws {
        try connection.savepoint(named: "s") {
            try connection.execute("SAVEPOINT mine")
            try add(1, on: connection)
        }
        #expect(!connection.isInsideTransaction)
        try #expect(committed == [1])
        try connection.transaction {
            try connection.execute("SAVEPOINT mine")
            try add(2, on: connection)
        }
        #expect(!connection.isInsideTransaction)
        try #expect(committed == [1, 2])
    }

    @Test func unnamedOnesNestWithNamedOnes() throws {
        try connection.savepoint {
            try add(1, on: connection)
            try connection.savepoint {
                try add(2, on: connection)
                try? connection.savepoint {
                    try add(3, on: connection)
                    try connection.savepoint { try add(4, on: connection) }
                    throw TestError()
                }
            }
            try? connection.savepoint(named: "s") {
                try connection.savepoint { try add(5, on: connection) }
                throw TestError()
            }
        }
        try #expect(committed == [1, 2])
    }

    @Test func aFailedSavepointIsReleased() throws {
        try connection.transaction {
            let statements = Notes<String>()
            connection.trace { statements.note($0) }
            expectThrows(TestError.self) {
                try connection.savepoint { () -> Void in throw TestError() }
            }
            connection.trace(nil)
            let begin = try #require(statements.all.first { $0.hasPrefix("SAVEPOINT ") })
            expectSQLiteError(containing: "no such savepoint") {
                try connection.execute("RELEASE \(begin)")
            }
        }
    }

    @Test func aSavepointKeepsADeferredReadSnapshotOnly() throws {
        try connection.savepoint { try #expect(canWrite(toFileAt: folder.path())) }
    }
}
