import Foundation
import SQiftTestSupport
import Testing

import SQift

private func isSendable<T>(_ type: T.Type) -> Bool {
    false
}
private func isSendable<T: Sendable>(_ type: T.Type) -> Bool {
    true
}

/// That values and handles are Sendable, the compiler proves.
private let sendableTypes: [any Sendable.Type] = [
    InterruptHandle.self, SQLiteError.self, ResultCode.self, ExtractionError.self,
    ExtractionError.Reason.self, StorageLocation.self, TableLockPolicy.self,
    Connection.Configuration.self, Connection.TransactionType.self, BindingValue.self,
    Row.Column.self, Row.Column.DataType.self, ArrayBinding<String>.self, SetBinding<String>.self,
    DictionaryBinding<String, Int>.self,
]

struct SendableTests {
    @Test func whatBelongsToOneThreadIsNotSendable() {
        #expect(!isSendable(Connection.self))
        #expect(!isSendable(Statement.self))
        #expect(!isSendable(Row.self))
        #expect(!isSendable(Row?.self))
        #expect(!isSendable([Row].self))
    }

    @Test func aConnectionMayBeUsedByOneThreadAfterAnother() throws {
        let folder = try TemporaryFolder()
        nonisolated(unsafe) let connection = try Connection.withTable(path: folder.path())
        for value in 1...3 {
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                do {
                    try connection.run("INSERT INTO t VALUES(?)", value)
                } catch {
                    Issue.record("\(error)")
                }
                done.signal()
            }
            done.wait()
        }
        #expect(try connection.query("SELECT x FROM t") == [1, 2, 3])
    }

    @Test func connectionsWorkBesideEachOther() throws {
        let folder = try TemporaryFolder()
        var configuration = Connection.Configuration()
        configuration.busyTimeout = 60
        let setUp = try Connection(path: folder.path(), configuration: configuration)
        try setUp.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(worker, x)")
        let group = DispatchGroup()
        for worker in 0..<4 {
            group.enter()
            let (path, configuration) = (folder.path(), configuration)
            Thread.detachNewThread {
                do {
                    let connection = try Connection(path: path, configuration: configuration)
                    for value in 1...50 {
                        try connection.transaction(transactionType: .immediate) {
                            try connection.run("INSERT INTO t VALUES(?, ?)", worker, value)
                        }
                        #expect(
                            try connection.query(
                                "SELECT count(*) FROM t WHERE worker = ?",
                                worker
                            ) == value
                        )
                    }
                } catch {
                    Issue.record("\(error)")
                }
                group.leave()
            }
        }
        group.wait()
        #expect(try count("t", on: setUp) == 200)
    }
}
