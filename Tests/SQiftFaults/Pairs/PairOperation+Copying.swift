import CSQift
import Foundation
import SQift

extension PairOperation {
    static var copying: [PairOperation] {
        [
            PairOperation("back up", absentWith: databases, run: backUp),
            PairOperation("back up twice", absentWith: databases, run: backUpTwice),
            PairOperation(
                "back up to a sidecar",
                absentWith: databases + files + [PropertyValue(Location.longest)],
                makesCheckpoint: true,
                run: backUpToSidecar
            ),
            PairOperation("copy", run: copyToFile),
            PairOperation("copy to memory", run: copyToMemory),
            PairOperation("serialize", need: .serialization, run: serialize),
            PairOperation("vacuum into", run: vacuumInto),
            PairOperation(
                "vacuum an attached database into",
                absentWith: [Attachments.none, .forbidden].map { PropertyValue($0) },
                run: vacuumAttachedInto
            ),
            PairOperation("restore", absentWith: databases, run: restore),
            PairOperation("restore other pages", absentWith: databases) { trial in
                let pageSize = trial.combination[PageSize.self] == .bytes4096 ? 1024 : 4096
                try restoreOther(trial, settings: "PRAGMA page_size = \(pageSize)")
            },
            PairOperation("restore another encoding", absentWith: databases) { trial in
                let isUTF8 = trial.combination[Encoding.self] == .utf8
                let encoding = isUTF8 ? "UTF-16le" : "UTF-8"
                try restoreOther(trial, settings: "PRAGMA encoding = '\(encoding)'")
            },
            PairOperation(
                "restore another key",
                absentWith: databases + files,
                need: .encryption
            ) { trial in
                let isNew = trial.site.secret.withLock { $0 } == .new
                try restoreOther(trial, settings: "", secret: isNew ? Secret(.key) : .new)
            },
        ]
    }

    // MARK: Backups

    private static func backUp(_ trial: PairTrial) throws {
        let copy = trial.newCopy()
        try trial.subject.database.backup(to: .onDisk(copy))
        try trial.expectCopy(copy, of: trial.model)
    }

    /// Over a backup of an older state, and in steps.
    private static func backUpTwice(_ trial: PairTrial) throws {
        let copy = trial.newCopy()
        let database = try trial.subject.database
        try awaiting { try await database.backup(to: .onDisk(copy), pagesPerStep: 3) }
        if !trial.combination.location.isReadOnly {
            let id = trial.model.nextID
            try trial.subject.write { try trial.insert(id, .make(id), on: $0) }
            trial.model.records[id] = .make(id)
        }
        try awaiting { try await database.backup(to: .onDisk(copy), pagesPerStep: -1) }
        try trial.expectCopy(copy, of: trial.model)
    }

    /// The sidecar of a database isn't a place for a backup: neither its own nor that of another.
    private static func backUpToSidecar(_ trial: PairTrial) throws {
        let database = try trial.subject.database
        if trial.combination.isWAL, !trial.combination.hasHeldState {
            // An empty WAL is no file of another kind.
            _ = try? database.checkpoint()
        }
        let suffix = trial.combination.isWAL ? "-wal" : "-journal"
        let other = trial.newCopy()
        let secret = trial.site.secret.withLock { $0 }
        try PlainDatabase(other, secret: secret).execute("CREATE TABLE x(a)")
        for path in [trial.site.path, other] {
            do {
                try database.backup(to: .onDisk(path + suffix))
            } catch let error as BackupError {
                try expect(
                    [.sameDatabase, .unsuitableDestination, .destinationInUse]
                        .contains(error.reason),
                    "refused for another reason: \(error)"
                )
                continue
            }
            let name = path == other ? "another database" : "the database"
            throw Broken(description: "the backup was written to the \(suffix) of \(name)")
        }
    }

    // MARK: Other copies

    private static func copyToFile(_ trial: PairTrial) throws {
        let path = trial.newCopy()
        let secret = trial.site.secret.withLock { $0 }
        var configuration = Connection.Configuration()
        configuration.key = secret.key
        configuration.cipherSettings = secret.settings
        let copy = try Connection(path: path, configuration: configuration)
        // The copy may have a WAL, as the source.
        try copy.setPersistentWAL(false)
        try trial.subject.access { try $0.backup(to: copy, pagesPerStep: 5) }
        try copy.close()
        try trial.expectCopy(path, of: trial.model)
    }

    private static func copyToMemory(_ trial: PairTrial) throws {
        let copy = try Connection()
        do {
            try trial.subject.access { try $0.backup(to: copy) }
            try trial.expectContent(of: copy)
        } catch let error as BackupError where error.reason == .encryption && trial.hasKey {
            // What is in memory isn't encrypted.
        }
    }

    private static func serialize(_ trial: PairTrial) throws {
        let image = try trial.subject.access { try $0.serialize() }
        let copy = try Connection(image: image)
        try trial.expectContent(of: copy)
    }

    private static func vacuumInto(_ trial: PairTrial) throws {
        let copy = trial.newCopy()
        try trial.subject.access { try $0.vacuum(into: .onDisk(copy)) }
        try expect(FileManager.default.fileExists(atPath: copy), "no copy was made")
        try trial.expectCopy(copy, of: trial.model)
    }

    /// The copy has the key of what it is a copy of.
    private static func vacuumAttachedInto(_ trial: PairTrial) throws {
        let copy = trial.newCopy("attached")
        try trial.subject.access { connection in
            do {
                try connection.vacuum(into: .onDisk(copy), database: "attached0")
            } catch let error as SQLiteError where error.resultCode == .misuse {
                // With another key it may be refused, and then says why.
                let key = trial.site.secret.withLock { $0.key }
                guard key != trial.site.attachedSecret.key, error.message.contains("key") else {
                    throw error
                }
            }
        }
        guard FileManager.default.fileExists(atPath: copy) else { return }
        let database = try PlainDatabase(
            copy,
            flags: SQLITE_OPEN_READONLY,
            secret: trial.site.attachedSecret
        )
        try expect(
            plainContent(database.handle) == trial.attachedContent(0),
            "the copy isn't that of the attached database, or has another key"
        )
    }

    // MARK: Restores

    private static func restore(_ trial: PairTrial) throws {
        let copy = trial.newCopy()
        let before = trial.model
        let database = try trial.subject.database
        try database.backup(to: .onDisk(copy))
        let id = trial.model.nextID
        try trial.subject.write { try trial.insert(id, .make(id), on: $0) }
        try awaiting { try await database.restore(from: .onDisk(copy)) }
        trial.model = before
    }

    /// Restores a file that plain C has made.
    private static func restoreOther(
        _ trial: PairTrial,
        settings: String,
        secret: Secret? = nil
    ) throws {
        let path = trial.newCopy()
        var model = PairModel(recordCount: 30, firstID: 5, for: trial.combination)
        let ownSecret = trial.site.secret.withLock { $0 }
        do {
            let other = try PlainDatabase(path, secret: secret ?? ownSecret)
            try other.execute(trial.combination.settings)
            try other.execute(settings)
            try other.execute(trial.combination.script(model))
            model.noteObjects(try plainContent(other.handle))
        }
        try trial.subject.database.restore(from: .onDisk(path), pagesPerStep: 3)
        trial.model = model
    }
}
