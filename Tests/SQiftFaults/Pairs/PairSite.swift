import CSQift
import Foundation
import SQift

/// Where the database of a row is, with which key, and how the program prepares its connections.
final class PairSite: Sendable {
    let combination: Combination
    /// The row's folder, with its folders `files` and `copies`.
    let folder: String
    /// How long anybody waits for a lock: nobody should have to.
    static let busyTimeout = 5.0

    let secret: Locked<Secret>
    let attachedSecret: Secret
    /// How often the program's functions were called.
    let callCount = Locked(0)
    let hasSeenKey = Locked(false)
    /// What `didCommit` has reported.
    let commits = Locked<[Set<String>]>([])

    init(_ combination: Combination, in folder: String) {
        self.combination = combination
        self.folder = folder
        secret = Locked(Secret(combination.encryption))
        attachedSecret =
            combination.attachments == .withOtherKey
            ? Secret(key: Keys.other)
            : Secret(key: combination.encryption == .none ? nil : Keys.one)
    }

    // MARK: Paths

    var name: String {
        switch combination.location {
        case .odd: "it's 50%41 \"odd\" #1?mode=memory&.db"
        case .long: String(repeating: "n", count: 240) + ".db"
        case .longest: String(repeating: "n", count: 252) + ".db"
        default: "main.db"
        }
    }

    /// The database's file.
    var path: String { "\(folder)/files/\(name)" }

    func attachedPath(_ number: Int) -> String { "\(folder)/files/attached\(number).db" }

    func copyPath(_ name: String) -> String { "\(folder)/copies/\(name).db" }

    /// What the database is opened by.
    var location: StorageLocation {
        switch combination.location {
        case .absolute, .odd, .long, .longest, .readOnly: .onDisk(path)
        case .relative: .onDisk("files/\(name)")
        case .link: .onDisk("\(folder)/link.db")
        case .uri: .uri("file:\(path)?psow=1")
        case .memory: .inMemory
        case .namedMemory: .uri(memoryName)
        case .temporary: .temporary
        case .immutable where combination.owner.hasDatabase: .onDisk(path)
        case .immutable: .uri("file:\(path)?immutable=1")
        }
    }

    private var memoryName: String { "file:/sqift-pairs?vfs=memdb" }

    // MARK: Plain C

    /// Opens the database as another program would.
    func openPlain(flags: Int32 = SQLITE_OPEN_READONLY) throws -> PlainDatabase {
        guard combination.location.hasFile else { return try PlainDatabase(memoryName) }
        return try PlainDatabase(path, flags: flags, secret: secret.withLock { $0 })
    }

    /// Makes the files, with everything that the schema needs.
    ///
    /// - Returns: A connection that keeps a named database in memory alive.
    func makeFiles(_ model: PairModel) throws -> PlainDatabase? {
        for name in ["files", "copies", "elsewhere"] {
            try makeEmptyFolder("\(folder)/\(name)")
        }
        for number in 0..<combination.attachments.count {
            let database = try PlainDatabase(attachedPath(number), secret: attachedSecret)
            try database.execute(
                """
                \(combination.settings);
                CREATE TABLE x\(number)(a);
                INSERT INTO x\(number) VALUES('\(PairModel.marker) \(number)')
                """
            )
            if combination.isWAL {
                // Who reads an old state reads theirs too.
                try database.execute("PRAGMA journal_mode = wal")
            }
        }
        guard !combination.location.isPrivate else { return nil }
        guard combination.location.hasFile else {
            let keeper = try PlainDatabase(memoryName)
            try fill(keeper, with: model)
            return keeper
        }
        let database = try PlainDatabase(path, secret: secret.withLock { $0 })
        try fill(database, with: model)
        if combination.isWAL, combination.location != .longest {
            try database.execute("PRAGMA journal_mode = wal")
        }
        if combination.location == .link {
            let link = "\(folder)/link.db"
            try? FileManager.default.removeItem(atPath: link)
            try FileManager.default.createSymbolicLink(
                atPath: link,
                withDestinationPath: "files/\(name)"
            )
        }
        return nil
    }

    private func fill(_ database: PlainDatabase, with model: PairModel) throws {
        if combination.location == .longest {
            try database.execute("PRAGMA journal_mode = memory")
        }
        try database.execute(combination.settings)
        try database.execute(combination.script(model))
    }

    // MARK: Preparation

    /// What the program does with each of its connections.
    func prepare(_ connection: Connection, isWriter: Bool) throws {
        if combination.location.isPrivate {
            try connection.execute(combination.settings)
        }
        if !combination.owner.hasDatabase {
            let number = combination[Synchronous.self].number
            try connection.execute("PRAGMA synchronous = \(number)")
            try connection.execute("PRAGMA foreign_keys = \(combination.hasForeignKeys)")
        }
        let isByPragma =
            !combination.owner.hasDatabase || [.memory, .off].contains(combination.journal)
        if isByPragma, isWriter, !combination.location.isReadOnly {
            let mode = combination.journal.rawValue
            let _: String = try connection.query("PRAGMA journal_mode = \(mode)")
        }
        for number in 0..<combination.attachments.count {
            try attach(number, to: connection)
        }
        if combination[Registration.self] == .preparation {
            try addFunctions(to: connection)
        }
        if combination.attachments == .forbidden {
            try connection.setLimit(.attached, to: 0)
        }
        try addHandler(to: connection)
        if combination[Listener.self] == .didCommit, isWriter {
            connection.didCommit { [commits] changes in
                commits.withLock { $0.append(changes.tables) }
            }
        }
    }

    private func attach(_ number: Int, to connection: Connection) throws {
        let key = attachedSecret.key
        let isDefault = secret.withLock { $0 } == attachedSecret
        try connection.attachDatabase(
            from: .onDisk(attachedPath(number)),
            withName: "attached\(number)",
            key: isDefault ? nil : key ?? Data()
        )
    }

    func addFunctions(to connection: Connection) throws {
        func twice(_ text: String) -> Int {
            callCount.withLock { $0 += 1 }
            return text.utf8.count * 2
        }
        try connection.addFunction(named: "twice", deterministic: true, twice)
        try connection.addCollation(named: "backwards") { one, other in
            let isBefore = other.utf8.lexicographicallyPrecedes(one.utf8)
            return isBefore ? .orderedAscending : one == other ? .orderedSame : .orderedDescending
        }
    }

    private func addHandler(to connection: Connection) throws {
        switch combination[Handler.self] {
        case .none: break
        case .authorizer: try connection.authorizer { _, _, _, _, _ in .ok }
        case .authorizerWithoutAttach:
            try connection.authorizer { action, _, _, _, _ in action == .attach ? .deny : .ok }
        case .trace:
            let texts = [Secret(.key), Secret(.keyWithSettings), .new, .newWithSettings]
                .compactMap(\.key).map { String(decoding: $0, as: UTF8.self) }
            connection.trace { [hasSeenKey] sql in
                if texts.contains(where: sql.contains) {
                    hasSeenKey.withLock { $0 = true }
                }
            }
        case .progress: connection.progressHandler(every: 50) { false }
        }
    }
}

extension Secret {
    init(_ encryption: Encryption) {
        switch encryption {
        case .none: self.init()
        case .key: self.init(key: Keys.one)
        // A passphrase, since a raw key doesn't depend on the settings.
        case .keyWithSettings: self.init(key: Data("a passphrase".utf8), settings: Self.iterations)
        }
    }

    private static let iterations = "PRAGMA kdf_iter = 101"

    /// What `changeKey` changes it to.
    static let new = Secret(key: Keys.other)
    static let newWithSettings = Secret(key: Data("another one".utf8), settings: iterations)
}
