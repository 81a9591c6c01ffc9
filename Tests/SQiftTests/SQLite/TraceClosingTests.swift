import Foundation
import SQift
import SQiftTestSupport
import Testing

/// What is told when a connection is closed or goes.
struct TraceClosingTests {
    typealias Event = Connection.TraceEvent

    private let connection: Connection
    private let events = Notes<String>()

    init() throws {
        connection = try Connection()
    }

    private static func text(_ event: Event) -> String {
        switch event {
        case .statement(_, let sql): "statement \(sql)"
        case .profile(let statement, _): "profile \(statement)"
        case .row(let statement): "row \(statement)"
        case .connectionClosed: "closed"
        }
    }

    @Test func closeTellsWhichConnectionItIs() throws {
        var closed: [OpaquePointer] = []
        connection.traceEvent(mask: Event.connectionClosedMask) { event in
            if case .connectionClosed(let pointer) = event {
                closed.append(pointer)
            }
        }
        let handle = try connection.withUnsafeHandle { $0 }
        try connection.close()
        #expect(closed == [handle])
        try connection.close()
        #expect(closed.count == 1)
    }

    @Test func aRefusedCloseIsToldToo() throws {
        connection.traceEvent(mask: Event.connectionClosedMask) { [events] in
            events.note(Self.text($0))
        }
        do {
            let statement = try connection.prepare("SELECT 1")
            expectSQLiteError { try connection.close() }
            withExtendedLifetime(statement) {}
        }
        #expect(events.take() == ["closed"])
        try connection.close()
        #expect(events.take() == ["closed"])
    }

    /// Opens a connection, traces it, and lets it go.
    private func release(
        mask: UInt32? = nil,
        _ use: (Connection) throws -> Void = { _ in }
    ) throws {
        let connection = try Connection()
        connection.traceEvent(mask: mask) { [events] in events.note(Self.text($0)) }
        try use(connection)
    }

    @Test func aConnectionThatIsReleasedIsToldOnce() throws {
        try release()
        #expect(events.take() == ["closed"])
        try release { try $0.close() }
        #expect(events.take() == ["closed"])
        try release(mask: Event.connectionClosedMask) { try $0.run("SELECT 1") }
        #expect(events.take() == ["closed"])
        try release(mask: Event.rowMask) { try $0.run("SELECT 1") }
        #expect(events.take() == ["row SELECT 1"])
        try release { $0.traceEvent(closure: nil) }
        #expect(events.take() == [])
    }

    @Test func aReleaseTellsWhichConnectionItIsAndFindsItGone() throws {
        var closed: [OpaquePointer] = []
        var handle: OpaquePointer?
        var isGone = false
        func use() throws {
            let connection = try Connection()
            handle = try connection.withUnsafeHandle { $0 }
            connection.traceEvent { [weak connection] event in
                if case .connectionClosed(let pointer) = event {
                    closed.append(pointer)
                }
                isGone = connection == nil
            }
        }
        try use()
        #expect(closed == [handle])
        #expect(isGone)
    }

    @Test func aConnectionThatItsStatementKeepsIsToldWhenThatIsGone() throws {
        var statement: Statement?
        try release(mask: Event.connectionClosedMask) { statement = try $0.prepare("SELECT 1") }
        #expect(events.take() == [])
        try statement?.run()
        statement = nil
        #expect(events.take() == ["closed"])
    }

    @Test func theConnectionOfAnEndedQueueIsTold() throws {
        let notes = SharedNotes<String>()
        do {
            let connection = try Connection()
            connection.traceEvent(mask: Event.connectionClosedMask) { _ in notes.note("closed") }
            let queue = ConnectionQueue(connection: connection)
            try queue.execute { try $0.run("SELECT 1") }
        }
        #expect(notes.all == ["closed"])
    }
}
