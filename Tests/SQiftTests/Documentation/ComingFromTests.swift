import Foundation
import SQiftTestSupport
import Testing

/// The tables of names that other libraries have, in the pages of Docs.
struct ComingFromTests {
    private static func withoutSpaces(_ text: some StringProtocol) -> String {
        String(text.filter { !$0.isWhitespace })
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: packageFolder.appendingPathComponent(path), encoding: .utf8)
    }

    /// The code in the last column of the tables whose last column is called "here".
    private static func calls() throws -> [String] {
        let pages = try ["FromFMDB", "FromGRDB", "FromSQLiteSwift", "FromWCDB", "README"].map {
            try text("Docs/\($0).md")
        }
        var calls: [String] = []
        var isTable = false
        for line in pages.joined(separator: "\n").components(separatedBy: "\n") {
            guard line.hasPrefix("| "), line.hasSuffix(" |") else {
                isTable = false
                continue
            }
            let cell = line.dropLast(2).components(separatedBy: " | ").last ?? ""
            if cell.hasSuffix("here") {
                isTable = true
            } else if isTable {
                let parts = cell.components(separatedBy: "`")
                calls += parts.indices.filter { $0 % 2 == 1 }.map { parts[$0] }
            }
        }
        return calls
    }

    @Test func everyCallInATableIsCompiledAndRun() throws {
        let folder = "Tests/SQiftTests/Documentation/"
        let code = try ["FMDB", "GRDB", "GRDBSchema", "SQLiteSwift", "WCDB"].map {
            Self.withoutSpaces(try Self.text(folder + "ComingFrom\($0)Tests.swift"))
        }

        let calls = try Self.calls()

        #expect(calls.count > 100)
        for call in calls {
            #expect(code.contains { $0.contains(Self.withoutSpaces(call)) }, "\(call)")
        }
    }
}
