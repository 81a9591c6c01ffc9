import Foundation

/// One state of a database, for as long as the snapshot lives, whatever is written meanwhile.
///
/// ```swift
/// let snapshot = try database.snapshot()
/// let count: Int = try snapshot.read { try $0.query("SELECT count(*) FROM cars") }
/// let names: [String] = try snapshot.read { try $0.query("SELECT name FROM cars") }  // as many
/// ```
///
/// It has its own connection, which its closures use one after the other, from any thread. The
/// database may be used inside them. Inside the database's closures a snapshot may be taken, but
/// not read: two threads could wait for each other. The same can happen if two snapshots are read
/// inside each other's closures, and nothing detects that. As long as the snapshot lives, SQLite
/// can't start the WAL from its beginning again, and it grows with each write: close the snapshot
/// soon. Attached databases in WAL mode aren't part of it.
///
/// SQLite: [Isolation In SQLite](https://sqlite.org/isolation.html)
public final class DatabaseSnapshot: DatabaseReader {
    let lane: Lane

    /// Where reads wait for the snapshot's connection.
    public var readers: AccessLine { AccessLine(runner: lane, onlyKind: .snapshot) }

    /// - Parameters:
    ///   - source: Opens a connection that reads.
    ///   - databaseGate: Knows the threads inside the database's closures.
    ///   - openLanes: Where the database finds the snapshot's connection to close it.
    init(source: ConnectionSource, gate databaseGate: AccessGate, openLanes: OpenLanes) {
        lane = Lane(
            gate: AccessGate(label: source.label + " (snapshot)", outer: databaseGate),
            preparations: source.preparations,
            openLanes: openLanes
        ) { cancellation in
            let connection = try source.open(cancellation)
            guard !connection.opening.sharesCache, try connection.isInWALMode() else {
                throw AccessError(
                    .notShareable,
                    label: source.label,
                    "a snapshot needs a WAL and a private cache; else it would block or see writes"
                )
            }
            // "DEFERRED means that the transaction does not actually start until the database is
            // first accessed.": https://sqlite.org/lang_transaction.html
            try connection.shielded {
                try connection.execute("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
            }
            return connection
        }
    }

    /// Opens its connection, also inside a closure of the database.
    func open() throws {
        try lane.line.sync {
            try lane.run(as: .unmanaged) { _ in }
        }
    }

    /// Closes the snapshot, so that SQLite can start the WAL from its beginning again. It waits for
    /// the closure that runs. Later reads throw. It may be called again.
    ///
    /// - Throws: ``AccessError/Reason/reentrant`` in one of its own closures, and as
    ///   ``Connection/close()``.
    public func close() throws {
        try lane.gate.checkReentry()
        try lane.close()
    }
}
