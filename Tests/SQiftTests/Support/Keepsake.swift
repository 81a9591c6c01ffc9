import SQift
import Testing

/// An object that a closure keeps, so that a test sees when the closure is released.
package final class Keepsake {
    package init() {}
}

/// Expects that a callback's closure is kept while it is set. It is released when it is replaced or
/// removed, and when its connection is closed or released.
///
/// - Parameter set: Sets a closure that keeps the keepsake; nil removes the callback.
package func expectReleased(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ set: (Connection, Keepsake?) throws -> Void
) throws {
    weak var kept: Keepsake?
    func setOne(on connection: Connection) throws {
        let keepsake = Keepsake()
        kept = keepsake
        try set(connection, keepsake)
    }
    func expectKept() {
        #expect(kept != nil, "released too early", sourceLocation: sourceLocation)
    }
    func expectGone(by end: String) {
        #expect(kept == nil, "kept after \(end)", sourceLocation: sourceLocation)
    }

    try {
        let connection = try Connection()
        try setOne(on: connection)
        try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
        expectKept()
        let second = Keepsake()
        try set(connection, second)
        expectGone(by: "its replacement")
        try setOne(on: connection)
        expectKept()
        try set(connection, nil)
        expectGone(by: "its removal")
        try connection.execute("INSERT INTO t VALUES(2)")

        try setOne(on: connection)
        do {
            let statement = try connection.prepare("SELECT 1")
            #expect(sqliteError { try connection.close() }?.resultCode == .busy)
            expectKept()
            withExtendedLifetime(statement) {}
        }
        try connection.close()
        expectGone(by: "close()")
        try connection.close()
    }()

    var statement: Statement?
    try {
        let connection = try Connection()
        try setOne(on: connection)
        statement = try connection.prepare("SELECT 1")
    }()
    expectKept()
    let one: Int? = try statement?.query()
    #expect(one == 1)
    statement = nil
    expectGone(by: "the connection's end")
}
