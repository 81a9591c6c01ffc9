import Foundation
import SQift

/// Checks a database, which is only read.
struct Check {
    /// The results of one part of the check: problems, and things that it couldn't check.
    struct Findings: Encodable {
        var problems: [String] = []
        var unchecked: [String] = []
    }

    struct Report: CommandReport {
        let database: String
        let sqliteVersion = Connection.sqliteVersion
        let journalMode: String
        /// In bytes, nil if there is no WAL.
        let walSize: Int?
        let pageCount: Int
        let pageSize: Int
        let freePageCount: Int
        let integrity: Findings
        let foreignKeys: Findings
        let exitCode: ExitCode
    }

    private let path: String
    private let connection: Connection

    init(_ path: String) throws {
        self.path = path
        connection = try DatabaseFile(path).openToRead(hardened: true)
    }

    func run() throws -> Report {
        try DatabaseFile(path).namingItself { try makeReport() }
    }

    private func makeReport() throws -> Report {
        // The second part runs whatever the first one finds.
        let integrity = try findings(of: checkIntegrity)
        let foreignKeys = try findings(of: checkForeignKeys)
        let isSound = integrity.problems.isEmpty && foreignKeys.problems.isEmpty
        let isComplete = integrity.unchecked.isEmpty && foreignKeys.unchecked.isEmpty
        return Report(
            database: path,
            journalMode: try connection.query("PRAGMA journal_mode"),
            walSize: DatabaseFile(connection.fileName + "-wal").size,
            pageCount: try connection.query("PRAGMA page_count"),
            pageSize: try connection.pageSize(),
            freePageCount: try connection.query("PRAGMA freelist_count"),
            integrity: integrity,
            foreignKeys: foreignKeys,
            exitCode: !isSound ? .failed : isComplete ? .done : .incomplete
        )
    }

    /// Runs a part of the check. Damage that ends it is a finding too.
    private func findings(of check: () throws -> Findings) throws -> Findings {
        do {
            return try check()
        } catch let error as SQLiteError where error.isDamage {
            return Findings(problems: ["\(error)"])
        }
    }

    private func checkIntegrity() throws -> Findings {
        var findings: Findings
        do {
            findings = Findings(problems: try connection.integrityCheck())
        } catch let error as SQLiteError where error.needsApplication {
            findings = try checkIntegrityOfEachTable()
        }
        var virtualTables = VirtualTableCheck(connection)
        let others = try virtualTables.run()
        findings.problems += others.problems
        findings.unchecked += others.unchecked
        return findings
    }

    /// If SQLite can't check one table, `integrity_check` checks nothing at all, which is why this
    /// checks one table after the other.
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
            var problems = violations.prefix(100).map(\.description)
            if violations.count > problems.count {
                problems.append("\(violations.count - problems.count) more rows without parents")
            }
            return Findings(problems: problems)
        } catch let error as SQLiteError where error.needsApplication {
            return Findings(unchecked: [error.message])
        } catch let error as SQLiteError where error.message.hasPrefix("foreign key mismatch") {
            return Findings(problems: [error.message])
        }
    }
}

extension Check.Report {
    func printText() {
        printLine("database", database)
        printLine("SQLite", sqliteVersion + warning)
        let suffix = walSize.map { ", \($0) bytes in the WAL" } ?? ""
        printLine("journal mode", journalMode + suffix)
        printLine("pages", "\(pageCount) of \(pageSize) bytes, \(freePageCount) free")
        printFindings("integrity", integrity)
        printFindings("foreign keys", foreignKeys)
        if exitCode == .incomplete {
            print("\nThe database's app can check the rest: it has the functions and collations.")
        }
    }

    private var warning: String {
        guard journalMode == "wal", !Connection.hasWALResetFix else { return "" }
        return """
             (warning: it has the WAL-reset fault, unless
                            your distribution fixed that; let only one connection write
                            and checkpoint, or use 3.51.3 or newer)
            """
    }

    private func printLine(_ subject: String, _ finding: String) {
        print(subject.padding(toLength: 16, withPad: " ", startingAt: 0) + finding)
    }

    private func printFindings(_ subject: String, _ findings: Check.Findings) {
        let summary = [
            findings.problems.isEmpty ? nil : "\(findings.problems.count) found",
            findings.unchecked.isEmpty ? nil : "not checked in full",
        ].compactMap { $0 }
        printLine(subject, summary.isEmpty ? "ok" : summary.joined(separator: ", "))
        for problem in findings.problems {
            print("  \(problem)")
        }
        for omission in findings.unchecked {
            print("  not checked: \(omission)")
        }
    }
}

extension SQLiteError {
    var isDamage: Bool {
        [.corrupt, .notADatabase].contains(resultCode)
    }
}
