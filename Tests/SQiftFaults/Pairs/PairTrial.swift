import CSQift
import Foundation
import SQift

/// One row: its database, what is open of it, and what it has to contain.
final class PairTrial {
    let site: PairSite
    var model: PairModel
    private(set) var subject: Subject
    private let watch: FolderWatch
    /// Keeps a named database in memory alive.
    private var keeper: PlainDatabase?
    private var oldState: OldState?
    /// The copies that operations have made, as names in the folder, and whether each has a key.
    private var copies: [String: Bool] = [:]
    private var copyCount = 0

    var combination: Combination { site.combination }

    /// - Throws: What opening the database throws.
    init(_ combination: Combination, in folder: String) throws {
        try makeEmptyFolder(folder)
        site = PairSite(combination, in: folder)
        model = PairModel(for: combination)
        watch = FolderWatch(folder: folder)
        keeper = try site.makeFiles(model)
        subject = try Subject(site)
        if combination.location.isPrivate {
            try subject.access { try $0.execute(combination.script(model)) }
        }
        model.noteObjects(try content())
        // So that a checkpoint has something to move, even beside somebody who reads an old state.
        try useAgain()
        try holdAgain()
        try subject.listen()
    }

    // MARK: Life

    func close() throws {
        try oldState?.end()
        oldState = nil
        try subject.close()
    }

    func open() throws {
        subject = try Subject(site)
        try holdAgain()
        try subject.listen()
    }

    /// Lets somebody read the present state from now on, if the row asks for it.
    func holdAgain() throws {
        guard combination.hasHeldState else { return }
        try oldState?.end()
        oldState = try OldState(of: subject)
    }

    /// The closed file contains everything.
    func end() throws {
        try close()
        if !combination.location.isPrivate {
            let content = try content()
            try expect(
                content == model.content(of: combination),
                "after closing: \(difference(content))"
            )
        }
        let problems = checkFiles()
        try expect(problems.isEmpty, problems.joined(separator: "; "))
    }

    // MARK: For operations

    func insert(_ id: Int, _ record: PairModel.Record, on connection: Connection) throws {
        try connection.run(
            "INSERT INTO \(combination.target)(id, a, n, b) VALUES(?, ?, ?, ?)",
            id,
            record.text,
            record.number,
            Data(record.bytes)
        )
    }

    /// The path of a file that an operation may make.
    func newCopy(_ kind: String = "copy") -> String {
        copyCount += 1
        copies["copies/\(kind)\(copyCount).db"] = hasKey
        return site.copyPath("\(kind)\(copyCount)")
    }

    /// The rows that the program's functions serve are found through their index.
    func expectServedRows(on connection: Connection) throws {
        guard combination.schemaCall != .nothing else { return }
        let rows: [Int: String] = try connection.query("SELECT id, a FROM served")
        try expect(rows == model.served, "other served rows")
        guard let (id, text) = model.served.min(by: { $0.key < $1.key }) else { return }
        let condition =
            switch combination.schemaCall {
            case .collatedIndex: "a = ? COLLATE backwards"
            case .generatedColumn: "a = ? AND twice = \(2 * text.utf8.count)"
            case .functionIndex, .check, .nothing: "a = ? AND twice(a) = \(2 * text.utf8.count)"
            }
        let found: [Int] = try connection.query("SELECT id FROM served WHERE \(condition)", text)
        try expect(found == [id], "found \(found)")
    }

    func expectAttachedRows(on connection: Connection) throws {
        for number in 0..<combination.attachments.count {
            let texts: [String] = try connection.query("SELECT a FROM x\(number)")
            let expected = "\(PairModel.marker) \(number)"
            try expect(texts == [expected], "an attached database has \(texts)")
        }
    }

    /// What plain C finds in an attached database.
    func attachedContent(_ number: Int) -> [String] {
        ["table|x\(number)", "x\(number): \(PairModel.marker) \(number)"]
    }

    /// A copy in a file is whole, has the database's key, and needs no other file.
    func expectCopy(_ path: String, of model: PairModel) throws {
        let copy = try PlainDatabase(
            path,
            flags: SQLITE_OPEN_READWRITE,
            secret: site.secret.withLock { $0 }
        )
        let content = try plainContent(copy.handle)
        let expected = model.content(of: combination)
        try expect(content == expected, "the copy differs: \(content.difference(from: expected))")
    }

    /// A copy in memory is whole.
    func expectContent(of copy: Connection) throws {
        if combination.schemaCall != .nothing {
            try site.addFunctions(to: copy)
        }
        let content = try copy.withUnsafeHandle { try plainContent($0) }
        try expect(content == model.content(of: combination), "the copy: \(difference(content))")
    }

    // MARK: One operation

    /// Does something, and checks what is left. Returns what was wrong.
    func attempt(_ operation: PairOperation) -> [String] {
        let modelBefore = model
        let isWatched = combination.hasExternalCheckpoints && combination.isWAL
        let mainFile = isWatched ? mainFileBytes : nil
        let refusals = PairRefusal.all(for: operation, in: combination)
        let start = ContinuousClock.now
        var problems: [String] = []
        do {
            try operation.run(self)
            if let refusal = refusals.first(where: \.isCertain) {
                problems.append("wasn't refused: \(refusal)")
            }
        } catch {
            model = modelBefore
            if !refusals.contains(where: { $0.matches(error) }) {
                return ["threw \(nameOfError(error)): \(error)"]
            }
        }
        let duration = ContinuousClock.now - start
        if duration > .seconds(PairSite.busyTimeout * 0.8) {
            problems.append("it waited for the busy timeout")
        }
        if let mainFile, !operation.makesCheckpoint, mainFile != mainFileBytes {
            problems.append("a checkpoint was made, which others make")
        }
        problems += checkFiles()
        problems += check("the content", checkContent)
        problems += check("the old state") { try oldState?.expectSameContent() }
        problems += check("the settings", checkSettings)
        problems += check("the next write", useAgain)
        if site.hasSeenKey.withLock({ $0 }) {
            problems.append("a trace shows the key")
        }
        return problems
    }

    private func check(_ subject: String, _ body: () throws -> Void) -> [String] {
        do {
            try body()
            return []
        } catch {
            return ["\(subject): \(error)"]
        }
    }

    private var mainFileBytes: Data { watch.bytes(of: "files/\(site.name)") }

    private func content() throws -> [String] {
        guard combination.location.isPrivate else {
            let database = try site.openPlain()
            return try plainContent(database.handle)
        }
        return try subject.access { connection in
            try connection.withUnsafeHandle { try plainContent($0) }
        }
    }

    private func difference(_ content: [String]) -> String {
        content.difference(from: model.content(of: combination))
    }

    private func checkContent() throws {
        let content = try content()
        try expect(content == model.content(of: combination), difference(content))
        for number in 0..<combination.attachments.count {
            let database = try PlainDatabase(
                site.attachedPath(number),
                flags: SQLITE_OPEN_READONLY,
                secret: site.attachedSecret
            )
            let content = try plainContent(database.handle)
            try expect(content == attachedContent(number), "attached: \(content)")
        }
    }

    /// Whether a hardened connection trusts its schema: that depends on the SQLite.
    private static func trustOfHardened() throws -> String {
        var configuration = Connection.Configuration()
        configuration.hardened = true
        let connection = try Connection(storageLocation: .inMemory, configuration: configuration)
        let trust: Int = try connection.query("PRAGMA trusted_schema")
        return "\(trust)"
    }

    private func checkSettings() throws {
        var expected = [
            "synchronous": "\(combination[Synchronous.self].number)",
            "foreign_keys": combination.hasForeignKeys ? "1" : "0",
            "encoding": combination[Encoding.self].rawValue,
            "page_size": combination[PageSize.self].rawValue,
            "auto_vacuum": "\(combination[AutoVacuum.self].number)",
        ]
        if combination.isHardened {
            expected["trusted_schema"] = try Self.trustOfHardened()
            expected["cell_size_check"] = "1"
        }
        let settings = try subject.read { connection in
            try connection.withUnsafeHandle { handle in
                try expected.map { name, value in
                    (name, value, try plainRows(handle, "PRAGMA main.\(name)"))
                }
            }
        }
        for (name, value, found) in settings {
            try expect(found == [value], "\(name) is \(found), not \(value)")
        }
    }

    private func useAgain() throws {
        guard combination.owner != .pool, !combination.location.isReadOnly else { return }
        let sql = "UPDATE t SET b = b WHERE id = (SELECT max(id) FROM t)"
        let count = try subject.write { try $0.run(sql) }
        try expect(count == 1, "\(count) rows were written")
        guard combination.location.hasFile else { return }
        let mode: String = try subject.access { try $0.query("PRAGMA main.journal_mode") }
        try expect(mode == combination.journal.rawValue, "the journal mode is \(mode)")
    }

    // MARK: Files

    private func checkFiles() -> [String] {
        let names = watch.names()
        let own = "files/\(site.name)"
        let sidecars =
            switch combination.journal {
            case .wal: [own + "-wal", own + "-shm"]
            case .truncate, .persist: [own + "-journal"]
            case .delete, .memory, .off: [] as [String]
            }
        let attached = (0..<combination.attachments.count).flatMap { number in
            ["", "-wal", "-shm"].map { "files/attached\(number).db\($0)" }
        }
        let allowed = Set(copies.keys).union([own, "link.db"] + sidecars + attached)
        var problems = names.filter { !allowed.contains($0) }.map { "left behind: \($0)" }
        for name in names where isSecret(name) {
            let bytes = watch.bytes(of: name)
            for plain in Self.plainTexts where bytes.range(of: plain) != nil {
                problems.append("plain bytes in \(name)")
                break
            }
        }
        return problems
    }

    private func isSecret(_ name: String) -> Bool {
        if name.contains("attached") {
            return site.attachedSecret.key != nil
        }
        return copies[name] ?? hasKey
    }

    var hasKey: Bool { site.secret.withLock { $0.key } != nil }

    private static let plainTexts: [Data] =
        [Data("SQLite format 3".utf8), Data("CREATE TABLE".utf8)]
        + [String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian].compactMap {
            PairModel.marker.data(using: $0)
        }
}

extension PairModel {
    /// Takes over the objects of the schema from what plain C has made.
    mutating func noteObjects(_ content: [String]) {
        let types = ["table|", "index|", "view|", "trigger|"]
        objects = Set(content.filter { line in types.contains { line.hasPrefix($0) } })
    }
}

extension [String] {
    /// The first lines that differ.
    func difference(from expected: [String]) -> String {
        let more = filter { !expected.contains($0) }.prefix(2).map { $0.prefix(50) }
        let missing = expected.filter { !contains($0) }.prefix(2).map { $0.prefix(50) }
        return "\(count) lines instead of \(expected.count), more: \(more), missing: \(missing)"
    }
}

/// Somebody who reads an old state: a snapshot of a `Database`, or else another connection.
private final class OldState {
    private let snapshot: DatabaseSnapshot?
    private let connection: PlainDatabase?
    private var before: [String] = []

    init(of subject: Subject) throws {
        if subject.site.combination.owner.hasDatabase {
            snapshot = try subject.database.snapshot()
            connection = nil
        } else {
            snapshot = nil
            connection = try subject.site.openPlain()
            try connection?.execute("BEGIN")
        }
        before = try content()
    }

    private func content() throws -> [String] {
        if let snapshot {
            return try snapshot.read { try $0.withUnsafeHandle { try plainContent($0) } }
        }
        return try connection.map { try plainContent($0.handle) } ?? []
    }

    func expectSameContent() throws {
        let content = try content()
        try expect(content == before, content.difference(from: before))
    }

    func end() throws {
        try snapshot?.close()
        try connection?.execute("COMMIT")
    }
}
