import Foundation
import SQift

/// What the databases in a folder contain. Two folders with the same content are equal.
struct FolderState: Equatable {
    /// The tables and rows of each database, by its file's name.
    private var contents: [String: String] = [:]

    /// Reads every database, after an integrity check.
    ///
    /// - Parameter keys: Each database has to open with exactly one of them.
    init(of folder: String, keys: [Data?]) throws {
        for name in try fileNames(in: folder) where name.hasSuffix(".db") && name.first != "." {
            contents[name] = try Self.content(of: "\(folder)/\(name)", keys: keys)
        }
    }

    private static func content(of path: String, keys: [Data?]) throws -> String {
        let candidates = keys.isEmpty ? [nil] : keys
        var contents: [String] = []
        for key in candidates {
            var configuration = Connection.Configuration()
            configuration.key = key
            do {
                let connection = try Connection(path: path, configuration: configuration)
                contents.append(try connection.content())
                try connection.close()
            } catch let error as SQLiteError
                where error.resultCode == .notADatabase && candidates.count > 1
            {
                // It has the other key.
                contents.append("")
            }
        }
        let readable = contents.indices.filter { contents[$0] != "" }
        try expect(readable.count == 1, "\(path) opens with \(readable.count) keys")
        return "key \(readable[0]): \(contents[readable[0]])"
    }

    /// The databases that differ, in short.
    func difference(from other: FolderState) -> String {
        let names = Set(contents.keys).union(other.contents.keys).sorted()
        return names.filter { contents[$0] != other.contents[$0] }.map { name in
            "\(name): \(contents[name].shortened) instead of \(other.contents[name].shortened)"
        }.joined(separator: ", ")
    }

    /// Whether each file is as in one of the states.
    func isMixture(of states: [FolderState]) -> Bool {
        let names = Set(states.flatMap(\.contents.keys)).union(contents.keys)
        return names.allSatisfy { name in
            states.contains { $0.contents[name] == contents[name] }
        }
    }
}

extension String? {
    fileprivate var shortened: String {
        guard let self else { return "no file" }
        return "\(self.count) characters of \(self.prefix(60))"
    }
}

extension Connection {
    /// The schema and the rows as text. Moments are left out: they differ from run to run.
    fileprivate func content() throws -> String {
        let problems = try integrityCheck()
        try expect(problems.isEmpty, "damaged: \(problems.prefix(3))")

        let schema: [String] = try query(
            "SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_schema ORDER BY 1"
        )
        let tables: [String] = try query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY 1"
        )
        let rows = try tables.map { table in
            let columns = try columns(in: table).map(\.name).filter { !$0.contains("timestamp") }
            let row = columns.map { "quote(\($0.sqift.quotedIdentifier))" }
            return try query(
                """
                SELECT group_concat(row, char(10))
                FROM (SELECT \(row.joined(separator: " || ',' || ")) AS row
                    FROM \(table.sqift.quotedIdentifier) ORDER BY 1)
                """
            ) as String? ?? ""
        }
        let version: Int = try query("PRAGMA user_version")
        return (schema + rows).joined(separator: "\n") + "\nversion \(version)"
    }
}
