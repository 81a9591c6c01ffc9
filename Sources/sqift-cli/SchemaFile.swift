import Foundation
import SQift

/// The file that `migrate --schema` writes.
struct SchemaFile {
    private static let heading =
        "-- The schema that the migrations make, as sqift-cli migrate --schema has written it.\n"

    private struct Object: Decodable, ExpressibleByRow {
        let name: String
        let sql: SQL
    }

    private let path: String

    /// - Throws: If the file would run as a migration, or if it has been written by someone else.
    init(_ path: String, outside folder: String) throws {
        self.path = path
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent()
        let folders = [parent, URL(fileURLWithPath: folder)].map {
            $0.resolvingSymlinksInPath().path + "/"
        }
        guard DatabaseFile(parent.path).exists else {
            throw UnusableFile(description: "\(parent.path) doesn't exist")
        }
        if folders[0].hasPrefix(folders[1]) {
            throw UsageError("\(path) is in the folder of the migrations, and would run as one")
        }
        try refuseOtherContent()
    }

    private func refuseOtherContent() throws {
        if DatabaseFile(path).exists, content?.starts(with: Self.heading.utf8) != true {
            throw UnusableFile(
                description: "\(path) isn't a schema that --schema has written: move it away"
            )
        }
    }

    private var content: Data? {
        FileManager.default.contents(atPath: path)
    }

    /// Returns the file's new content, which is the same for the same migrations.
    static func content(of migrations: [Migration], upTo name: String?) throws -> String {
        let model = try Connection()
        model.stopWhenCancelled()
        try Migrator(connection: model, migrations: migrations).run(upTo: name)
        let objects: [Object] = try model.query(
            """
            SELECT name, sql FROM sqlite_schema
            WHERE sql NOTNULL
                AND name NOT IN ('sqift_migrations', 'schema_migrations')
                AND name NOT GLOB 'sqlite_*'
            ORDER BY instr('table index view trigger', type), rootpage = 0, name
            """
        )
        // A virtual table makes the tables that it keeps by itself, and drops them.
        let virtualNames = try Table.virtualNames(in: model)
        for name in virtualNames {
            try model.run("DROP TABLE \(name.sqift.quotedIdentifier)")
        }
        let otherNames: [String] = try model.query("SELECT name FROM sqlite_schema")
        let names = Set(virtualNames + otherNames)
        let statements = objects.filter { names.contains($0.name) }.map(\.sql)
        return heading + statements.map { "\n\($0)\(end(of: $0))\n" }.joined()
    }

    /// A comment in the last line would go on past a semicolon.
    private static func end(of sql: SQL) -> String {
        sql.split(separator: "\n").last?.contains("--") == true ? "\n;" : ";"
    }

    /// Replaces the file. One that is the same stays, so that nothing is built again for it.
    func write(_ newContent: String) throws {
        // The run may have made it: as the database, or as the backup.
        try refuseOtherContent()
        let bytes = Data(newContent.utf8)
        if content != bytes {
            try bytes.write(to: URL(fileURLWithPath: path), options: .atomic)
        }
    }
}
