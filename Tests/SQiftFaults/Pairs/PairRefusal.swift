import SQift

/// What doesn't go together, and the error that says so.
struct PairRefusal: CustomStringConvertible {
    /// As `nameOfError` tells it.
    let error: String
    /// A part of the message, which names the cause.
    let words: String
    /// False for what only some versions of SQLite refuse.
    let isCertain: Bool

    init(_ error: String, _ words: String, isCertain: Bool = true) {
        self.error = error
        self.words = words
        self.isCertain = isCertain
    }

    var description: String { "\(error) with \"\(words)\"" }

    func matches(_ error: any Error) -> Bool {
        nameOfError(error).hasPrefix(self.error) && "\(error)".contains(words)
    }
}

/// Two values that a row doesn't have together.
struct SenselessPair {
    enum Outcome {
        /// There is no such thing: the API can't say it, or it is another row's.
        case absent
        /// It is refused.
        case refused(PairRefusal)
        /// It is refused, or the program's functions aren't called.
        case harmless
    }

    let one: PropertyValue
    let other: PropertyValue
    let outcome: Outcome

    private static func pairs<One: Property, Other: Property>(
        _ ones: [One],
        _ others: [Other],
        _ outcome: Outcome
    ) -> [SenselessPair] {
        ones.flatMap { one in
            others.map { other in
                SenselessPair(
                    one: PropertyValue(one),
                    other: PropertyValue(other),
                    outcome: outcome
                )
            }
        }
    }

    /// The table of pairs that make no sense.
    static var all: [SenselessPair] {
        let noFunction = PairRefusal("SQLITE_ERROR", "function: twice")
        let notShared = PairRefusal("AccessError", "each connection would see an empty database")
        let noSnapshots = PairRefusal("AccessError", "has one connection and no snapshots")
        let noWAL = PairRefusal("AccessError", "a snapshot needs a WAL")
        let noSidecar = PairRefusal("SQLITE_CANTOPEN", "unable to open database file")
        // Newer versions of SQLite let triggers use these two.
        let noVirtualTable = PairRefusal("SQLITE_ERROR", "unsafe use of", isCertain: false)
        let journalsWithoutWAL: [Journal] = [.delete, .truncate, .persist, .memory, .off]
        return [
            pairs([Owner.pool], [Location.memory, .temporary], .refused(notShared)),
            pairs([Owner.snapshot], [Location.memory, .temporary], .refused(noSnapshots)),
            pairs([HeldState.held], [Location.memory, .temporary], .refused(noSnapshots)),
            pairs([Owner.snapshot], [Location.namedMemory], .refused(noWAL)),
            pairs([HeldState.held], [Location.namedMemory], .refused(noWAL)),
            pairs([Owner.snapshot], journalsWithoutWAL, .refused(noWAL)),
            pairs([HeldState.held], journalsWithoutWAL, .refused(noWAL)),
            pairs(
                [Registration.none],
                [SchemaCall.functionIndex, .check, .generatedColumn],
                .refused(noFunction)
            ),
            pairs(
                [Registration.none],
                [SchemaCall.collatedIndex],
                .refused(PairRefusal("SQLITE_ERROR", "no such collation sequence: backwards"))
            ),
            pairs(
                [Location.longest],
                [Journal.wal, .delete, .truncate, .persist],
                .refused(noSidecar)
            ),
            pairs([Hardening.on], [SchemaCall.functionIndex, .check, .generatedColumn], .harmless),
            pairs([Hardening.on], [TableKind.fullText, .rTree], .refused(noVirtualTable)),
            // SQLite reads such a file as if it had no WAL.
            pairs([Location.immutable], [HeldState.held], .refused(noWAL)),
            pairs([Location.immutable], [Owner.snapshot], .refused(noWAL)),
            // Its VFS would be that of the attached databases too.
            pairs([Location.namedMemory], [Attachments.one, .withOtherKey, .ten], .absent),
            // Defensive, SQLite keeps a journal.
            pairs([Hardening.on], [Journal.off], .absent),
            // What is in memory isn't encrypted.
            pairs(
                [Encryption.key, .keyWithSettings],
                [Location.memory, .namedMemory, .temporary],
                .absent
            ),
            // The journal that joins several files has no room beside it.
            pairs([Location.longest], [Attachments.one, .withOtherKey, .ten], .absent),
            // It has no WAL.
            pairs([Location.longest], [Owner.snapshot], .absent),
            pairs([Location.longest], [HeldState.held], .absent),
            // `Database` alone has these.
            pairs([Listener.changes, .values], [Owner.connection, .queue, .pool], .absent),
            pairs([Listener.didCommit], [Owner.pool], .absent),
            pairs([Checkpoints.external], [Owner.connection, .queue, .pool], .absent),
            // Without a WAL there are no checkpoints.
            pairs([Checkpoints.external], journalsWithoutWAL, .absent),
            pairs([Checkpoints.external], [Location.longest], .absent),
            pairs([Registration.prepareConnections], [Owner.connection, .queue, .pool], .absent),
            pairs([Registration.afterFirstStatement], [Owner.pool], .absent),
            pairs([Hardening.on], [Owner.pool], .absent),
        ].flatMap(\.self)
    }

    /// The rows that try it: usual but for the pair, and for what the outcome may depend on.
    var rows: [Combination] {
        let row = Combination.usual.with([one, other])
        switch outcome {
        case .absent: return []
        case .refused: return [row]
        case .harmless:
            let registrations: [Registration] = [
                .preparation, .prepareConnections, .afterFirstStatement,
            ]
            return [Owner.database, .connection, .queue].flatMap { owner in
                registrations.filter { owner == .database || $0 != .prepareConnections }.map {
                    row.with([PropertyValue(owner), PropertyValue($0)])
                }
            }
        }
    }
}

/// The operations that a value of a property refuses.
extension PairRefusal {
    private struct Entry {
        let values: [PropertyValue]
        let operations: [String]
        let refusal: PairRefusal
    }

    static func all(for operation: PairOperation, in combination: Combination) -> [PairRefusal] {
        table.filter { entry in
            entry.operations.contains(operation.name)
                && entry.values.contains { combination.contains($0) }
        }.map(\.refusal)
    }

    private static func entry<P: Property>(
        _ values: [P],
        _ operations: [String],
        _ error: String,
        _ words: String,
        isCertain: Bool = true
    ) -> Entry {
        Entry(
            values: values.map { PropertyValue($0) },
            operations: operations,
            refusal: PairRefusal(error, words, isCertain: isCertain)
        )
    }

    private static var table: [Entry] {
        let writes = [
            "write", "bulk write", "savepoint", "failed write", "cancelled write", "blob",
            "observe",
            "vacuum",
        ]
        let restores = ["restore", "restore other pages"]
        let migrations = ["migrate", "rebuild a table", "migrate with backup"]
        let vacuums = ["vacuum", "vacuum into"]
        let another = ["restore another encoding"]
        return [
            entry(
                [Location.readOnly, .immutable],
                writes + restores + ["migrate by number"],
                "SQLITE_READONLY",
                "readonly"
            ),
            entry([Location.readOnly, .immutable], migrations, "MigratorError", "can't write"),
            entry(
                [Location.readOnly, .immutable],
                ["change the key"],
                "SQLITE_READONLY",
                "changes no key"
            ),
            // A first key, and none, needs the schema, and no function of the program is there.
            entry(
                [SchemaCall.collatedIndex, .functionIndex, .check, .generatedColumn],
                ["change the key"],
                "SQLITE_ERROR",
                "no such",
                isCertain: false
            ),
            // SQLite can't vacuum encrypted pages into pages of another size.
            entry(
                Encryption.allCases,
                ["restore other pages"],
                "BackupError",
                "SQLite doesn't change that with a key",
                isCertain: false
            ),
            // The adapted copy is made by VACUUM INTO.
            entry(
                [Attachments.ten, .forbidden],
                ["restore other pages"],
                "SQLITE_ERROR",
                "too many attached databases",
                isCertain: false
            ),
            entry(
                [Handler.authorizerWithoutAttach],
                ["restore other pages"],
                "SQLITE_AUTH",
                "authoriz",
                isCertain: false
            ),
            entry([TableKind.withoutRowID], ["blob"], "SQLITE_ERROR", "without rowid"),
            entry(
                [TableKind.generated],
                ["blob"],
                "SQLITE_ERROR",
                "generated columns",
                isCertain: false
            ),
            // SQLite attaches what it vacuums into.
            entry(
                [Attachments.ten, .forbidden],
                vacuums,
                "SQLITE_ERROR",
                "too many attached databases"
            ),
            entry([Handler.authorizerWithoutAttach], vacuums, "SQLITE_AUTH", "authoriz"),
            entry(
                [Attachments.ten],
                ["vacuum an attached database into"],
                "SQLITE_ERROR",
                "too many attached databases",
                isCertain: false
            ),
            entry(
                [Handler.authorizerWithoutAttach],
                ["vacuum an attached database into"],
                "SQLITE_AUTH",
                "authoriz",
                isCertain: false
            ),
            entry(Encoding.allCases, another, "BackupError", "text is"),
            entry(
                [Attachments.one, .withOtherKey, .ten],
                another,
                "SQLITE_ERROR",
                "must use the same text encoding",
                isCertain: false
            ),
            entry(
                [Location.readOnly, .immutable],
                another,
                "SQLITE_READONLY",
                "readonly",
                isCertain: false
            ),
            entry(Encryption.allCases, ["restore another key"], "SQLITE_NOTADB", "a key or none"),
            entry([Location.memory, .temporary], ["snapshot"], "AccessError", "no snapshots"),
            entry(
                [Location.namedMemory, .immutable],
                ["snapshot"],
                "AccessError",
                "a snapshot needs a WAL",
                isCertain: false
            ),
            entry(
                [Journal.delete, .truncate, .persist, .memory, .off],
                ["snapshot"],
                "AccessError",
                "snapshot",
                isCertain: false
            ),
        ]
    }
}
