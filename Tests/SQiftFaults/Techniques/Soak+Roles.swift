import Foundation
import SQift

extension Soak {
    /// Does the work of a role once.
    func work(as role: Role, using generator: inout SeededGenerator) throws {
        switch role {
        case .write:
            try database.write { try transfer(in: $0, using: &generator) }
            countWrite()
        case .writeAsynchronously:
            try writeAsynchronously(using: &generator)
        case .failToWrite:
            try failToWrite(using: &generator)
        case .read:
            try database.read { _ = try Self.checkSum(in: $0) }
        case .readWithCursor:
            try readWithCursor()
        case .readSnapshot:
            try readSnapshot()
        case .backUp:
            try backUp()
        case .openAnother:
            try openAnother(using: &generator)
        case .checkpoint:
            // Without the pauses here and below, these three would leave the others no time.
            usleep(2000)
            try database.checkpoint(mode: Bool.random(using: &generator) ? .passive : .truncate)
        case .interrupt:
            usleep(.random(in: 0..<5000, using: &generator))
            database.interrupt()
        case .suspend:
            usleep(.random(in: 0..<200_000, using: &generator))
            try database.suspend()
            database.resume()
        }
    }

    /// A write in a task that may be cancelled at any moment.
    private func writeAsynchronously(using generator: inout SeededGenerator) throws {
        let hasEnded = DispatchSemaphore(value: 0)
        let result = Locked<Result<Void, any Error>>(.success(()))
        let seed = generator.next()
        let task = Task {
            do {
                try await database.write { [self] connection in
                    var generator = SeededGenerator(state: seed)
                    try transfer(in: connection, using: &generator)
                }
                countWrite()
            } catch {
                result.withLock { $0 = .failure(error) }
            }
            hasEnded.signal()
        }
        if Bool.random(using: &generator) {
            // The moment of the cancellation is random: that is what is tested.
            usleep(.random(in: 0..<500, using: &generator))
            task.cancel()
        }
        hasEnded.wait()
        try result.withLock { $0 }.get()
    }

    /// A write that changes the sum, and throws.
    private func failToWrite(using generator: inout SeededGenerator) throws {
        do {
            try database.write { connection in
                try transfer(in: connection, using: &generator)
                try connection.run("UPDATE account SET balance = 0")
                throw Broken(description: "wanted")
            }
        } catch let error as Broken where error.description == "wanted" {
            // That is what it is for.
        }
    }

    private func readWithCursor() throws {
        try database.read { connection in
            let cursor = try connection.cursor("SELECT balance FROM account ORDER BY balance")
            var sum = 0
            while let balance: Int = try cursor.next() {
                sum += balance
            }
            let expected: Int = try connection.query("SELECT sum(balance) FROM account")
            try expect(sum == expected, "a cursor's sum is \(sum)")
        }
    }

    private func readSnapshot() throws {
        let snapshot = try database.snapshot()
        defer { try? snapshot.close() }
        let count = try snapshot.read { try Self.checkSum(in: $0) }
        // Others write meanwhile.
        usleep(1000)
        let later = try snapshot.read { try Self.checkSum(in: $0) }
        try expect(later == count, "a snapshot went from \(count) to \(later)")
    }

    private func backUp() throws {
        let path = "\(folder)/copy-\(name).db"
        try database.backup(to: .onDisk(path), pagesPerStep: 5)
        let copy = try Connection(path: path)
        try Self.checkSum(in: copy)
        try expect(try copy.integrityCheck() == [], "the backup is damaged")
        try copy.close()
    }

    /// A connection of its own, as another program would have.
    private func openAnother(using generator: inout SeededGenerator) throws {
        var configuration = Connection.Configuration()
        configuration.busyTimeout = 5
        let connection = try Connection(path: folder + "/accounts.db", configuration: configuration)
        try connection.transaction(transactionType: .immediate) {
            try transfer(in: connection, using: &generator)
        }
        countWrite()
        try Self.checkSum(in: connection)
        try connection.close()
    }
}
