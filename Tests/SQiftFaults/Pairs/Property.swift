/// One thing that a database can be, with its values. The first value is the usual one, which also
/// stands for those that the SQLite in use lacks.
protocol Property: CaseIterable, RawRepresentable, Hashable, Sendable
where RawValue == String, AllCases == [Self] {
    static var title: String { get }
}

/// The table of properties.
let allProperties: [any Property.Type] = [
    Location.self, Journal.self, Synchronous.self, PageSize.self, Encoding.self, AutoVacuum.self,
    Encryption.self, Hardening.self, ForeignKeys.self, Registration.self, SchemaCall.self,
    Attachments.self, Handler.self, Listener.self, TableKind.self, Owner.self, HeldState.self,
    Checkpoints.self,
]

enum Location: String, Property {
    static let title = "location"
    case absolute
    /// The process changes its folder after the opening.
    case relative
    /// Quotes, a percent sign, and what a URI would take for its own.
    case odd
    /// The longest name that leaves room for `-journal`.
    case long
    /// 255 bytes: no sidecar can have such a name.
    case longest
    case link
    case uri
    case memory
    case namedMemory
    case temporary
    case readOnly
    case immutable

    var hasFile: Bool { ![.memory, .namedMemory, .temporary].contains(self) }
    /// Whether the database disappears with its connection.
    var isPrivate: Bool { [.memory, .temporary].contains(self) }
    var isReadOnly: Bool { [.readOnly, .immutable].contains(self) }
}

enum Journal: String, Property {
    static let title = "journal"
    case wal, delete, truncate, persist, memory, off
}

enum Synchronous: String, Property {
    static let title = "synchronous"
    case full, off, normal, extra

    var number: Int { ["off", "normal", "full", "extra"].firstIndex(of: rawValue) ?? 0 }
}

enum PageSize: String, Property {
    static let title = "page size"
    case bytes4096 = "4096"
    case bytes512 = "512"
    case bytes1024 = "1024"
    case bytes65536 = "65536"
}

enum Encoding: String, Property {
    static let title = "encoding"
    case utf8 = "UTF-8"
    case utf16le = "UTF-16le"
    case utf16be = "UTF-16be"
}

enum AutoVacuum: String, Property {
    static let title = "auto_vacuum"
    case none, full, incremental

    var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

enum Encryption: String, Property {
    static let title = "key"
    case none, key, keyWithSettings
}

enum Hardening: String, Property {
    static let title = "hardened"
    case off, on
}

enum ForeignKeys: String, Property {
    static let title = "foreign keys"
    case on, off
}

/// How the program's functions and collations reach the connections.
enum Registration: String, Property {
    static let title = "functions"
    case none
    /// By the configuration's preparation, or right after the opening.
    case preparation
    /// By `prepareConnections`, before the first access.
    case prepareConnections
    /// After the first statement, by `prepareConnections` where there is such a thing.
    case afterFirstStatement
}

/// What of the schema calls them.
enum SchemaCall: String, Property {
    static let title = "called by"
    case nothing, collatedIndex, functionIndex, check, generatedColumn

    var isOfFunction: Bool { self != .nothing && self != .collatedIndex }
}

enum Attachments: String, Property {
    static let title = "attached"
    case none
    /// With the key of `main`, if that has one.
    case one
    /// With a key of its own.
    case withOtherKey
    /// As many as SQLite's default limit allows.
    case ten
    /// The limit is 0.
    case forbidden

    var count: Int {
        switch self {
        case .none, .forbidden: 0
        case .one, .withOtherKey: 1
        case .ten: 10
        }
    }
}

/// The user's own handler.
enum Handler: String, Property {
    static let title = "handler"
    case none, authorizer, authorizerWithoutAttach, trace, progress
}

enum Listener: String, Property {
    static let title = "listener"
    case none, changes, values, didCommit
}

enum TableKind: String, Property {
    static let title = "schema"
    case rowid, withoutRowID, strict, generated, fullText, rTree, viewWithTriggers
}

enum Owner: String, Property {
    static let title = "owner"
    case database, connection, queue, pool
    /// A `Database` of which a new snapshot does each read.
    case snapshot

    var hasDatabase: Bool { [.database, .snapshot].contains(self) }
}

/// Whether somebody reads an old state all the time: a snapshot, or another connection.
enum HeldState: String, Property {
    static let title = "old state"
    case none, held
}

enum Checkpoints: String, Property {
    static let title = "checkpoints"
    case automatic, external
}
