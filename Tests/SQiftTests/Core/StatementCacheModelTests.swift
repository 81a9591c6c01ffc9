import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

/// What the statement cache should keep: a list, searched from its start to its end.
private struct ModelOfTheCache {
    struct Kept {
        let sql: String
        var lastUse: Int
        var isBorrowed: Bool
    }

    let capacity: Int
    var kept: [Kept] = []
    /// In use, and not from the cache.
    var fresh: [String] = []
    private var clock = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The SQL of all statements that there are, sorted.
    var allSQL: [String] { (kept.map(\.sql) + fresh).sorted() }

    /// - Returns: Whether the statement is the kept one.
    mutating func borrow(_ sql: String) -> Bool {
        guard let index = kept.firstIndex(where: { $0.sql == sql && !$0.isBorrowed }) else {
            fresh.append(sql)
            return false
        }
        kept[index].isBorrowed = true
        return true
    }

    mutating func giveBack(_ sql: String, isKept: Bool) {
        clock += 1
        if isKept {
            for index in kept.indices where kept[index].sql == sql {
                kept[index].isBorrowed = false
                kept[index].lastUse = clock
            }
            return
        }
        if let index = fresh.lastIndex(of: sql) {
            fresh.remove(at: index)
        }
        guard capacity > 0, !kept.contains(where: { $0.sql == sql }) else { return }
        kept.append(Kept(sql: sql, lastUse: clock, isBorrowed: false))
        while kept.count > capacity {
            let idle = kept.indices.filter { !kept[$0].isBorrowed }
            guard let oldest = idle.min(by: { kept[$0].lastUse < kept[$1].lastUse }) else { return }
            kept.remove(at: oldest)
        }
    }

    mutating func removeAll() {
        kept.removeAll { !$0.isBorrowed }
    }
}

struct StatementCacheModelTests {
    private func open(capacity: Int) throws -> Connection {
        var configuration = Connection.Configuration()
        configuration.statementCacheCapacity = capacity
        return try Connection(storageLocation: .inMemory, configuration: configuration)
    }

    @Test(arguments: [0, 1, 2, 3, 7, 20, 40, 100])
    func itKeepsWhatANaiveListOfTheLastUsedKeeps(capacity: Int) throws {
        let connection = try open(capacity: capacity)
        var model = ModelOfTheCache(capacity: capacity)
        var generator = SeededGenerator(state: UInt64(capacity))
        // Of some lengths that agree up to a multiple of 16, and of one each.
        let texts = (0..<50).map { "SELECT \($0)" + String(repeating: " ", count: $0 % 5 * 8) }

        func use(depth: Int) throws {
            // The first ones are asked for more often.
            let bound = Int.random(in: 1...texts.count, using: &generator)
            let sql = texts[Int.random(in: 0..<bound, using: &generator)]
            let isKept = model.borrow(sql)
            try connection.forEachRow(sql) { _ in
                try #expect(preparedSQL(on: connection) == model.allSQL)
                while depth < 6, Int.random(in: 0..<3, using: &generator) == 0 {
                    try use(depth: depth + 1)
                }
                if Int.random(in: 0..<40, using: &generator) == 0 {
                    connection.releaseMemory()
                    model.removeAll()
                }
            }
            model.giveBack(sql, isKept: isKept)
        }
        var most = 0
        for _ in 0..<1_500 {
            try use(depth: 0)
            try #expect(preparedSQL(on: connection) == model.allSQL)
            most = max(most, model.kept.count)
        }
        #expect((min(capacity, 20)...capacity).contains(most))
        try connection.close()
    }

    @Test func aTextThatIsFoundIsTheSameStatementAtEveryCapacity() throws {
        for capacity in [1, 16, 17, 1_000] {
            let connection = try open(capacity: capacity)
            let texts = (0..<capacity).map { "SELECT \($0)" }
            for text in texts {
                try connection.run(text)
            }
            let first = try handles(on: connection)
            for number in texts.indices.shuffled() {
                #expect(try connection.query(texts[number]) == number)
            }
            #expect(first.count == capacity)
            #expect(try handles(on: connection) == first)
        }
    }

    private func handles(on connection: Connection) throws -> Set<OpaquePointer> {
        try connection.withUnsafeHandle { database in
            var handles: Set<OpaquePointer> = []
            var statement = sqlite3_next_stmt(database, nil)
            while let next = statement {
                handles.insert(next)
                statement = sqlite3_next_stmt(database, next)
            }
            return handles
        }
    }
}
