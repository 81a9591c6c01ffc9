// Only the library makes `TableChanges`.
import Foundation
import Testing

@testable import SQift

/// Awaits `body`, and cancels it if it takes too long.
package func withPatience<Value: Sendable>(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let (task, isLate) = (Task.detached(operation: body), Gate())
    let timer = Task.detached {
        try await Task.sleep(for: .seconds(patience))
        isLate.open()
        task.cancel()
    }
    let result = await task.result
    timer.cancel()
    #expect(!isLate.isOpen, "it was cancelled after a long time", sourceLocation: sourceLocation)
    return try result.get()
}

extension DatabaseChanges {
    /// The next changes; nil at the end.
    package func next(
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> TableChanges? {
        try await withPatience(sourceLocation: sourceLocation) {
            var iterator = makeAsyncIterator()
            return await iterator.next()
        }
    }

    /// Expects that the next changes are these; nil stands for the end.
    package func expectNext(
        _ expected: TableChanges?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let heard = try await next(sourceLocation: sourceLocation)
        #expect(heard == expected, sourceLocation: sourceLocation)
    }

    /// Expects that the changes of the commits that have returned are these. It commits as
    /// `heard(from:)` does.
    package func expect(
        _ expected: TableChanges,
        from database: Database,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let heard = try await heard(from: database, sourceLocation: sourceLocation)
        #expect(heard == expected, sourceLocation: sourceLocation)
    }

    /// All changes of the commits that have returned, in one. It commits to the table `marker`, for
    /// which the sequence must listen too.
    package func heard(
        from database: Database,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> TableChanges {
        try await database.write { try $0.run("INSERT INTO marker VALUES(0)") }
        var all = TableChanges()
        while all.tables.remove("marker") == nil {
            guard let changes = try await next(sourceLocation: sourceLocation) else {
                Issue.record("it ended", sourceLocation: sourceLocation)
                return all
            }
            all.formUnion(changes)
        }
        return all
    }
}

/// A task that loops over a sequence and keeps its elements. It is cancelled with the last
/// reference to it.
package final class Follower<Element: Sendable & Equatable>: Sendable {
    private let notes = SharedNotes<Element>()
    private let task: Task<Void, any Error>

    /// - Parameter body: Called for each element, once it is kept.
    package init<Elements: AsyncSequence & Sendable>(
        _ elements: Elements,
        _ body: @escaping @Sendable (Element) async throws -> Void = { _ in }
    ) where Elements.Element == Element {
        task = Task.detached { [notes] in
            for try await element in elements {
                notes.note(element)
                try await body(element)
            }
        }
    }

    deinit {
        task.cancel()
    }

    package var all: [Element] { notes.all }

    /// Awaits that many elements, and expects that they are these.
    package func expect(
        _ expected: [Element],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await poll("too few elements: \(all)", sourceLocation: sourceLocation) {
            all.count >= expected.count
        }
        #expect(all == expected, sourceLocation: sourceLocation)
    }

    /// Awaits an element.
    package func hears(
        _ complaint: Comment,
        sourceLocation: SourceLocation = #_sourceLocation,
        where isMeant: (Element) -> Bool
    ) async {
        await poll(complaint, sourceLocation: sourceLocation) { all.contains(where: isMeant) }
    }

    package func cancel() {
        task.cancel()
    }

    /// Awaits the end of the loop, and throws its error.
    package func end(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await withPatience(sourceLocation: sourceLocation) { [task] in
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }
}

extension Database {
    package func follow<Value: Sendable & Equatable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) -> Follower<Value> {
        Follower(values(body))
    }

    /// Follows the count of the rows of `t`.
    package func followRows() -> Follower<Int> {
        Follower(values { try count("t", on: $0) })
    }
}

/// Every kind of database that tells its changes.
package enum ListenedDatabase: String, CaseIterable, Sendable {
    case wal, delete, inMemory, temporary

    /// Opens one with empty tables `t`, `u` and `marker`, each with a column `x`.
    package func open(in folder: TemporaryFolder, _ setup: String = "") throws -> Database {
        let database =
            switch self {
            case .wal: try folder.open()
            case .delete: try folder.open { $0.journalMode = .delete }
            case .inMemory: try Database.inMemory()
            case .temporary:
                try Database(storageLocation: .temporary, configuration: .init())
            }
        try database.write { connection in
            try connection.execute("CREATE TABLE t(x); CREATE TABLE u(x); CREATE TABLE marker(x)")
            try connection.execute(setup)
        }
        return database
    }
}

extension TemporaryFolder {
    /// Opens a database with a WAL that tells its changes, as `ListenedDatabase` does.
    package func openListened(_ setup: String = "") throws -> Database {
        try ListenedDatabase.wal.open(in: self, setup)
    }
}
