import Foundation
import SQift

extension FuzzTarget {
    /// A folder of files with any names and contents: it is refused, or a run that succeeds leaves
    /// nothing to do. Then the same texts as steps.
    static let migrations = FuzzTarget(name: "migrations") { input in
        var input = input
        let folder = try TemporaryFolder()
        var contents: [[UInt8]] = []
        while !input.isAtEnd, contents.count < 5 {
            let name = String(decoding: input.bytes(upTo: 0), as: UTF8.self)
            let content = Array(input.bytes(upTo: 0xff))
            let safe = String(name.replacingOccurrences(of: "/", with: "_").prefix(60))
            let isFolder = content.first == 0xfe
            let path = "\(folder.path)/\(safe)"
            if safe.isEmpty || safe == "." || safe == ".." { continue }
            if isFolder {
                try? makeFolder(path)
            } else {
                _ = FileManager.default.createFile(atPath: path, contents: Data(content))
                contents.append(content)
            }
        }
        try allowingErrors {
            let migrations = try Migration.load(from: URL(fileURLWithPath: folder.path))
            let numbers = migrations.compactMap { UInt64($0.name.prefix { "0"..."9" ~= $0 }) }
            try expect(numbers == numbers.sorted(), "loaded in another order: \(numbers)")
            try expect(numbers.count == migrations.count, "a name without a number")
            try runMigrations(migrations)
        }
        let steps = contents.enumerated().map { index, content in
            let isAlone = content.count % 5 == 4
            return Migration(
                "\(index)",
                sql: String(decoding: content, as: UTF8.self),
                options: isAlone ? .withoutTransaction : []
            )
        }
        try runMigrations(steps)
    }

    private static func runMigrations(_ migrations: [Migration]) throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE old(a UNIQUE); INSERT INTO old VALUES(1)")
        try connection.confine()
        let limit = StepLimit(on: connection)
        let migrator = Migrator(connection: connection, migrations: migrations)
        try allowingErrors {
            _ = try migrator.rehearse { copy in
                try copy.confine()
                _ = StepLimit(on: copy)
            }
        }
        try expect(!connection.isInsideTransaction, "a rehearsal has left a transaction open")
        limit.restart()
        var report: Migrator.Report?
        try allowingErrors { report = try migrator.run() }
        try expect(!connection.isInsideTransaction, "a migration has left a transaction open")
        guard let report else { return }
        limit.restart()
        let names = migrations.map(\.name)
        try expect(report.migrations == names, "\(report.migrations) ran of \(names)")
        // A migration may do to the records what it likes, so these may throw.
        try allowingErrors {
            guard try connection.tableExists("sqift_migrations") else { return }
            let count: Int = try connection.query("SELECT count(*) FROM sqift_migrations")
            guard count == names.count else { return }
            let pending = try migrator.pending()
            try expect(pending.isEmpty, "pending after the run: \(pending)")
        }
    }
}
