import Foundation
import SQift

/// One process of a soak: threads that use one `Database` in every way at the same time.
final class Soak: Sendable {
    /// What a thread does, again and again.
    enum Role: String, CaseIterable {
        case write
        case writeAsynchronously
        case failToWrite
        case read
        case readWithCursor
        case readSnapshot
        case backUp
        case openAnother
        case checkpoint
        case interrupt
        case suspend
    }

    private static let accountCount = 50
    private static let initialBalance = 1000

    let database: Database
    let folder: String
    let name: String
    private let seed: UInt64
    private let report = Locked(SoakReport())
    private let isOver = Locked(false)

    init(folder: String, name: String, seed: UInt64) throws {
        self.folder = folder
        self.name = name
        self.seed = seed
        database = try Database(path: Self.path(in: folder))
    }

    // MARK: The accounts

    private static func path(in folder: String) -> String { folder + "/accounts.db" }

    static func makeAccounts(in folder: String) throws {
        let database = try Database(path: path(in: folder))
        try database.write { connection in
            try connection.execute(
                """
                CREATE TABLE account(id INTEGER PRIMARY KEY, balance INTEGER, note BLOB);
                CREATE INDEX balances ON account(balance);
                CREATE TABLE transfers(count INTEGER);
                INSERT INTO transfers VALUES(0)
                """
            )
            for id in 0..<accountCount {
                try connection.run(
                    "INSERT INTO account VALUES(?, ?, zeroblob(500))",
                    id,
                    initialBalance
                )
            }
        }
        try database.close()
    }

    /// Moves money from one account to another.
    func transfer(in connection: Connection, using generator: inout SeededGenerator) throws {
        let amount = Int.random(in: 1...100, using: &generator)
        for sum in [-amount, amount] {
            let id = Int.random(in: 0..<Self.accountCount, using: &generator)
            try connection.run(
                "UPDATE account SET balance = balance + ?, note = randomblob(500) WHERE id = ?",
                sum,
                id
            )
        }
        try connection.run("UPDATE transfers SET count = count + 1")
    }

    /// Throws if the sum isn't what it has to be. Returns the count of transfers.
    @discardableResult static func checkSum(in connection: Connection) throws -> Int {
        let sum: Int = try connection.query("SELECT sum(balance) FROM account")
        try expect(sum == accountCount * initialBalance, "the sum is \(sum)")
        return try connection.query("SELECT count FROM transfers")
    }

    /// Checks what the processes have left.
    static func checkEnd(in folder: String, writeCount: Int) throws {
        let connection = try Connection(path: path(in: folder))
        let advice = Connection.hasWALResetFix ? "" : " (this SQLite has the WAL reset fault)"
        let problems = try connection.integrityCheck()
        try expect(problems.isEmpty, "damaged\(advice): \(problems.prefix(3))")
        let count = try checkSum(in: connection)
        try expect(count == writeCount, "\(count) transfers, but \(writeCount) were committed")
        try connection.close()
        let names = try fileNames(in: folder).filter { !$0.hasPrefix("copy") }
        try expect(names == ["accounts.db"], "left: \(names)")
    }

    // MARK: The threads

    /// Works for some time, and closes the database.
    ///
    /// - Parameter tick: Called about once a second.
    func run(seconds: Double, tick: () -> Void) throws -> SoakReport {
        let roles = Role.allCases + [.write, .read]
        let threads = DispatchGroup()
        for (index, role) in roles.enumerated() {
            threads.enter()
            let thread = Thread { [self] in
                var generator = SeededGenerator(state: seed &+ UInt64(index) &* 7919)
                while !isOver.withLock({ $0 }) {
                    note(role) { try work(as: role, using: &generator) }
                }
                threads.leave()
            }
            thread.start()
        }
        let end = Date() + seconds
        while Date() < end {
            // The threads work; this one only looks at the clock.
            usleep(200_000)
            tick()
        }
        isOver.withLock { $0 = true }
        threads.wait()
        try database.close()
        return report.withLock { $0 }
    }

    /// Counts what a role did, or the error that it met.
    private func note(_ role: Role, _ body: () throws -> Void) {
        do {
            try body()
            report.withLock { $0.done[role.rawValue, default: 0] += 1 }
        } catch {
            let name = Self.nameOfExpectedError(error)
            if name == "suspended" {
                // To ask again at once would only take the time of those who have to end.
                usleep(1000)
            }
            report.withLock { report in
                if let name {
                    report.errors[name, default: 0] += 1
                } else if report.problems.count < 10 {
                    report.problems.append("\(role.rawValue): \(error)")
                }
            }
        }
    }

    func countWrite() {
        report.withLock { $0.writeCount += 1 }
    }

    /// A name for the errors that other roles cause; nil for all others.
    private static func nameOfExpectedError(_ error: any Error) -> String? {
        switch error {
        case is CancellationError: "cancelled"
        // SQLite loses the code where an interrupt meets the first use of a pragma as a table.
        case let error as SQLiteError
        where error.resultCode == .interrupt || error.message == "interrupted":
            "interrupted"
        case let error as SQLiteError where error.resultCode == .busy: "busy"
        // Suspending closes snapshots.
        case let error as AccessError where [.suspended, .closed].contains(error.reason):
            "suspended"
        default: nil
        }
    }
}
