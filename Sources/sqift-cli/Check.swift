import Foundation
import SQift

/// Looks a database over, and says what it found.
enum Check {
    /// Answers whether nothing is wrong with the database at `path`, which is only read.
    static func run(_ path: String) throws -> Bool {
        var configuration = Connection.Configuration()
        configuration.readOnly = true
        configuration.hardened = true
        configuration.busyTimeout = 5
        let connection = try Connection(path: path, configuration: configuration)
        let journalMode: String = try connection.query("PRAGMA journal_mode")
        report("SQLite", sqliteVersion(usesWAL: journalMode == "wal"))
        report("journal mode", journalMode + walSize(path))
        report("pages", try pages(of: connection))
        // Both, whatever the first one finds.
        let problems = [
            problems("integrity") { try connection.integrityCheck() },
            problems("foreign keys") {
                try connection.foreignKeyViolations(database: "main").map(\.description)
            },
        ]
        return problems.allSatisfy(\.isEmpty)
    }

    private static func report(_ what: String, _ finding: String) {
        print(what.padding(toLength: 16, withPad: " ", startingAt: 0) + finding)
    }

    private static func sqliteVersion(usesWAL: Bool) -> String {
        guard usesWAL, !Connection.hasWALResetFix else { return Connection.sqliteVersion }
        return Connection.sqliteVersion + """
             (warning: without the fix of the WAL-reset fault, unless the distribution added it;
                            let only one connection write and checkpoint, or use 3.51.3 or newer)
            """
    }

    private static func walSize(_ path: String) -> String {
        let size =
            (try? FileManager.default.attributesOfItem(atPath: path + "-wal"))?[.size] as? Int
        return size.map { ", \($0) bytes in the WAL" } ?? ""
    }

    private static func pages(of connection: Connection) throws -> String {
        let count: Int = try connection.query("PRAGMA page_count")
        let size: Int = try connection.query("PRAGMA page_size")
        let free: Int = try connection.query("PRAGMA freelist_count")
        return "\(count) of \(size) bytes, \(free) free"
    }

    /// Reports a check's findings, of which an error is one, and answers them.
    private static func problems(_ what: String, _ check: () throws -> [String]) -> [String] {
        var found: [String]
        do { found = try check() } catch { found = ["\(error)"] }
        report(what, found.isEmpty ? "ok" : "\(found.count) found")
        for problem in found { print("  \(problem)") }
        return found
    }
}
