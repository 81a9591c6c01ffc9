import Foundation
import SQift

/// Uses a file that may be anything, in every way that the library has: each ends with a result or
/// with an error.
final class MutantUse {
    private struct TooLarge: Error {}

    private let image: DatabaseImage
    private let folder: String
    private let note: (any Error) -> Void
    private(set) var problems: [String] = []
    private var path: String { folder + "/mutant.db" }

    /// - Parameter note: Gets what is thrown.
    init(_ image: DatabaseImage, in folder: String, note: @escaping (any Error) -> Void) {
        self.image = image
        self.folder = folder
        self.note = note
    }

    /// - Parameter share: Which part of what takes long is done; nil for everything.
    func run(share: Int?) throws {
        try useNewCopy { try readThroughConnection(share: share) }
        let others = [
            { try self.useNewCopy { try self.writeThroughConnection() } },
            { try self.useNewCopy { try self.readThroughDatabase() } },
            { try self.useNewCopy { try self.writeThroughDatabase() } },
            { self.step("restore") { try self.restore() } },
        ]
        for (index, use) in others.enumerated()
        where share.map({ $0 % others.count == index }) ?? true {
            try use()
        }
    }

    /// Each use begins with the files as they were made.
    private func useNewCopy(_ body: () throws -> Void) throws {
        try makeEmptyFolder(folder)
        try image.write(to: path)
        step("open", body)
    }

    /// - Parameter limit: Begins anew.
    private func step(_ name: String, limit: StepLimit? = nil, _ body: () throws -> Void) {
        limit?.restart()
        do {
            try allowingErrors {
                do {
                    try body()
                } catch {
                    note(error)
                    throw error
                }
            }
        } catch {
            problems.append("\(name): \(error)")
        }
    }

    // MARK: A connection

    private func open(readOnly: Bool = false) throws -> (Connection, StepLimit) {
        let connection = try Connection(path: path, configuration: hardened(readOnly: readOnly))
        return (connection, try prepare(connection))
    }

    private func hardened(readOnly: Bool) -> Connection.Configuration {
        var configuration = Connection.Configuration()
        configuration.hardened = true
        configuration.readOnly = readOnly
        return configuration
    }

    /// What whoever opens a stranger's file does besides: limits.
    @discardableResult private func prepare(_ connection: Connection) throws -> StepLimit {
        try connection.setLimit(.length, to: 1_000_000)
        try connection.setLimit(.triggerDepth, to: 10)
        return StepLimit(on: connection, thousands: 100)
    }

    private func close(_ connection: Connection) {
        do {
            try connection.close()
        } catch {
            problems.append("it can't be closed: \(error)")
        }
    }

    private func readThroughConnection(share: Int?) throws {
        let (connection, limit) = try open()
        defer { close(connection) }
        step("integrity", limit: limit) { _ = try connection.integrityCheck(maximumErrors: 20) }
        step("quick", limit: limit) { _ = try connection.quickCheck() }
        step("foreign keys", limit: limit) { _ = try connection.foreignKeyViolations() }
        var names: [String] = []
        step("names", limit: limit) {
            names = try connection.query("SELECT name FROM sqlite_schema WHERE name NOT NULL")
        }
        for (index, name) in names.prefix(40).enumerated() {
            let isThorough = share.map { ($0 + index) % 3 == 0 } ?? true
            if isThorough {
                step("schema of \(name)", limit: limit) { try readSchema(of: name, on: connection) }
            }
            step("rows of \(name)", limit: limit) {
                try readRows(of: name, on: connection, isThorough: isThorough)
            }
        }
        for rowID in [1, 10, 30] as [Int64] {
            step("blob", limit: limit) {
                let blob = try connection.openBlob(
                    table: "t",
                    column: "c",
                    rowID: rowID,
                    readOnly: true
                )
                let data = try blob.read(at: 0, count: blob.count)
                try expect(data.count == blob.count, "\(data.count) bytes of \(blob.count)")
                try blob.reopen(rowID: rowID + 1)
                try blob.close()
            }
        }
        step("migrations", limit: limit) {
            _ = try Migrator(connection: connection, migrations: []).unknown()
        }
        step("copy", limit: limit) { try copyToMemory(connection) }
        step("images", limit: limit) { try useImages(of: connection) }
    }

    private func readSchema(of name: String, on connection: Connection) throws {
        try allowingErrors { _ = try connection.columns(in: name) }
        try allowingErrors { _ = try connection.primaryKey(of: name) }
        try allowingErrors { _ = try connection.indexes(on: name) }
        try allowingErrors { _ = try connection.foreignKeys(of: name) }
        try allowingErrors { _ = try connection.triggers(on: name) }
        try allowingErrors { _ = try connection.tableExists(name) }
    }

    /// - Parameter isThorough: Whether to read some rows as every type.
    private func readRows(
        of name: String,
        on connection: Connection,
        isThorough: Bool = false
    ) throws {
        var count = 0
        try connection.forEachRow("SELECT * FROM \(name.sqift.quotedIdentifier)") { row in
            count += 1
            if count <= 2, isThorough {
                try readEverything(of: row)
            } else {
                for index in 0..<row.columnCount {
                    _ = try row.bindingValue(at: index)
                }
            }
        }
    }

    // MARK: Copies

    /// A header can claim that there are billions of pages.
    private func refuseLargeCopy(_ progress: Backup.Progress) throws {
        if progress.pageCount > 10_000 {
            throw TooLarge()
        }
    }

    private func copyToMemory(_ connection: Connection) throws {
        let copy = try Connection()
        try connection.backup(to: copy, pagesPerStep: 7, progress: refuseLargeCopy)
        try prepare(copy)
        _ = try copy.quickCheck()
        try copy.close()
    }

    private func useImages(of connection: Connection) throws {
        let pageCount: Int = try connection.query("PRAGMA page_count")
        if pageCount <= 10_000 {
            _ = try connection.serialize()
        }
        guard
            let memory = try? Connection(
                image: Data(image[.main]),
                configuration: hardened(readOnly: false)
            )
        else { return }
        let limit = try prepare(memory)
        step("the image's rows", limit: limit) {
            let names: [String] = try memory.query("SELECT name FROM sqlite_schema")
            for name in names.prefix(5) {
                step("the image's \(name)", limit: limit) { try readRows(of: name, on: memory) }
            }
        }
        step("the image again", limit: limit) { _ = try memory.serialize() }
        close(memory)
    }

    private func restore() throws {
        try makeEmptyFolder(folder)
        let good = folder + "/good.db"
        let database = try Database(path: good)
        try database.write { try $0.execute("CREATE TABLE good(a); INSERT INTO good VALUES(7)") }
        try image.write(to: path)
        do {
            try database.restore(from: .onDisk(path), progress: refuseLargeCopy)
        } catch {
            note(error)
            let value = try database.read { try $0.query("SELECT a FROM good") as Int }
            try expect(value == 7, "a restore that failed has changed the database")
        }
        try database.close()
    }

    // MARK: Writing

    private func writeThroughConnection() throws {
        let (connection, limit) = try open()
        defer { close(connection) }
        step("insert", limit: limit) {
            try connection.transaction {
                try connection.run("INSERT INTO t(b, c) VALUES('new', zeroblob(2000))")
                try connection.run("UPDATE g SET x = x + 1")
                try connection.run("DELETE FROM w WHERE v % 2")
            }
        }
        let isOpen = connection.isInsideTransaction
        if isOpen {
            problems.append("a transaction is left open")
        }
        step("blob", limit: limit) {
            let blob = try connection.openBlob(table: "t", column: "c", rowID: 10)
            try blob.write(Data([1, 2, 3]), at: 1500)
            try blob.close()
        }
        step("migrate", limit: limit) {
            let sql = "CREATE TABLE IF NOT EXISTS n(a); ALTER TABLE t ADD COLUMN f; REINDEX"
            let migrations = [
                Migration("first", sql: "CREATE TABLE m(a)"), Migration("second", sql: sql),
            ]
            try Migrator(connection: connection, migrations: migrations).run()
        }
        step("checkpoint", limit: limit) { _ = try connection.checkpoint() }
        step("vacuum", limit: limit) { try connection.run("VACUUM") }
        step("drop", limit: limit) { try connection.execute("DROP TABLE t; DROP TABLE vf") }
    }

    // MARK: A database

    private func configuration() -> Database.Configuration {
        var configuration = Database.Configuration()
        configuration.connection.hardened = true
        configuration.maximumReaderCount = 1
        configuration.busyTimeout = 0.1
        configuration.writerConnectionPreparation = { _ = StepLimit(on: $0, thousands: 100) }
        configuration.readerConnectionPreparation = { _ = StepLimit(on: $0, thousands: 100) }
        return configuration
    }

    private func close(_ database: Database) {
        do {
            try database.close()
        } catch {
            // What the last connection does with the WAL can fail; then it is closed all the same.
            note(error)
        }
    }

    private func readThroughDatabase() throws {
        var configuration = configuration()
        configuration.accessMode = .readOnly()
        let database = try Database(path: path, configuration: configuration)
        defer { close(database) }
        for table in ["t", "w", "vw", "g", "vf"] {
            step("read \(table)") { try database.read { try readRows(of: table, on: $0) } }
        }
    }

    private func writeThroughDatabase() throws {
        let database = try Database(path: path, configuration: configuration())
        defer { close(database) }
        step("write") {
            try database.write { (connection: Connection) -> Void in
                try connection.run(
                    "INSERT INTO t(b, d) VALUES(?, ?)",
                    "new",
                    Date(timeIntervalSince1970: 0)
                )
            }
        }
        step("read") { try database.read { try readRows(of: "t", on: $0) } }
        step("back up") {
            try database.backup(to: .onDisk(folder + "/copy.db"), progress: refuseLargeCopy)
        }
        step("checkpoint") { _ = try database.checkpoint() }
    }
}
