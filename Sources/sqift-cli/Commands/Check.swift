import Foundation
import SQift

/// Checks a database, and prints what it found. The database is only read.
struct Check {
    /// The results of one part of the check: problems, and things that it couldn't check.
    private struct Findings {
        var problems: [String] = []
        var unchecked: [String] = []
    }

    private let path: String
    private let connection: Connection

    init(_ path: String) throws {
        self.path = path
        connection = try DatabaseFile(path).openToRead(hardened: true)
    }

    func run() throws -> ExitCode {
        report("database", path)
        let journalMode: String = try connection.query("PRAGMA journal_mode")
        report("SQLite", sqliteVersion(usesWAL: journalMode == "wal"))
        let walSize = DatabaseFile(connection.fileName + "-wal").size
        let suffix = walSize.map { ", \($0) bytes in the WAL" } ?? ""
        report("journal mode", journalMode + suffix)
        report("pages", try pages())

        // The second part runs whatever the first one finds.
        let findings = [
            try report("integrity", checkIntegrity),
            try report("foreign keys", checkForeignKeys),
        ]
        guard findings.allSatisfy(\.problems.isEmpty) else { return .failed }
        guard findings.allSatisfy(\.unchecked.isEmpty) else {
            print(
                "\nThe database's app can check the rest: it has the functions and collations."
            )
            return .incomplete
        }
        return .done
    }

    private func report(_ subject: String, _ finding: String) {
        print(subject.padding(toLength: 16, withPad: " ", startingAt: 0) + finding)
    }

    private func sqliteVersion(usesWAL: Bool) -> String {
        guard usesWAL, !Connection.hasWALResetFix else { return Connection.sqliteVersion }
        return Connection.sqliteVersion + """
             (warning: this version has the WAL-reset fault, unless your distribution fixed it;
                            let only one connection write and checkpoint, or use 3.51.3 or newer)
            """
    }

    private func pages() throws -> String {
        let count: Int = try connection.query("PRAGMA page_count")
        let size = try connection.pageSize()
        let free: Int = try connection.query("PRAGMA freelist_count")
        return "\(count) of \(size) bytes, \(free) free"
    }

    /// Runs a part of the check, and prints what it found. Damage that ends it is a finding too.
    private func report(_ subject: String, _ check: () throws -> Findings) throws -> Findings {
        let findings: Findings
        do {
            findings = try check()
        } catch let error as SQLiteError where error.isDamage {
            findings = Findings(problems: ["\(error)"])
        }

        let summary = [
            findings.problems.isEmpty ? nil : "\(findings.problems.count) found",
            findings.unchecked.isEmpty ? nil : "not checked in full",
        ].compactMap { $0 }
        report(subject, summary.isEmpty ? "ok" : summary.joined(separator: ", "))
        for problem in findings.problems {
            print("  \(problem)")
        }
        for omission in findings.unchecked {
            print("  not checked: \(omission)")
        }
        return findings
    }

    private func checkIntegrity() throws -> Findings {
        do {
            return Findings(problems: try connection.integrityCheck())
        } catch let error as SQLiteError where error.needsApplication {
            return try checkIntegrityOfEachTable()
        }
    }

    /// If SQLite can't check one table, `integrity_check` checks nothing at all. So this checks one
    /// table after the other.
    private func checkIntegrityOfEachTable() throws -> Findings {
        var findings = Findings()
        let names: [String] = try connection.query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage <> 0 ORDER BY name"
        )
        for name in ["sqlite_schema"] + names {
            do {
                let messages: [String] = try connection.query(
                    "PRAGMA main.integrity_check(\(name.sqift.quotedIdentifier))"
                )
                findings.problems += messages.filter { $0 != "ok" }
            } catch let error as SQLiteError where error.needsApplication {
                findings.unchecked.append("table \(name): \(error.message)")
            }
        }
        findings.unchecked.append("pages that belong to no table")
        return findings
    }

    private func checkForeignKeys() throws -> Findings {
        do {
            let violations = try connection.foreignKeyViolations(database: "main")
            return Findings(problems: violations.map(\.description))
        } catch let error as SQLiteError where error.needsApplication {
            return Findings(unchecked: [error.message])
        } catch let error as SQLiteError where error.message.hasPrefix("foreign key mismatch") {
            return Findings(problems: [error.message])
        }
    }
}

extension SQLiteError {
    fileprivate var isDamage: Bool {
        [.corrupt, .notADatabase].contains(resultCode)
    }
}
