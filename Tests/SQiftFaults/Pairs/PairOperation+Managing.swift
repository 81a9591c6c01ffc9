import Foundation
import SQift

extension PairOperation {
    static var managing: [PairOperation] {
        [
            PairOperation(
                "change the key",
                // Those are closed with their last reference, which a row keeps.
                absentWith: files + [Owner.queue, .pool].map { PropertyValue($0) },
                makesCheckpoint: true,
                need: .encryption,
                run: changeKey
            ),
            PairOperation("snapshot", absentWith: databases, run: takeSnapshot),
            PairOperation("checkpoint", absentWith: writers, makesCheckpoint: true) { trial in
                // A complete one waits for who reads an old state.
                let isPassive = trial.combination.hasHeldState
                try trial.subject.access { connection in
                    let result = try connection.checkpoint(mode: isPassive ? .passive : .truncate)
                    try expect(isPassive || result.isComplete, "incomplete: \(result)")
                }
            },
            // Whatever there is, it may be asked for.
            PairOperation("persistent WAL") { trial in
                try trial.subject.access { connection in
                    try connection.setPersistentWAL(true)
                    try connection.setPersistentWAL(false)
                }
            },
            PairOperation("vacuum", absentWith: writers) { trial in
                try trial.subject.access {
                    try $0.execute("VACUUM; PRAGMA incremental_vacuum")
                }
            },
            PairOperation("suspend and resume", absentWith: databases, run: suspend),
            PairOperation("close and open", absentWith: shared) { trial in
                try trial.close()
                try trial.open()
            },
            PairOperation(
                "second process",
                // Such a database needs a journal in memory, which is not what others begin with.
                absentWith: files + [PropertyValue(Location.longest)],
                makesCheckpoint: true,
                run: useSecondProcess
            ),
            // A connection that the program has opened itself stays its own.
            PairOperation(
                "use what has left its access",
                absentWith: [Owner.connection, .queue].map { PropertyValue($0) },
                run: useEscaped
            ),
            PairOperation(
                "undo the hardening",
                absentWith: [PropertyValue(Hardening.off)],
                run: undoHardening
            ),
        ]
    }

    /// A first key, then another one, then none.
    private static func changeKey(_ trial: PairTrial) throws {
        let site = trial.site
        let old = site.secret.withLock { $0 }
        let isNew = [Secret.new, .newWithSettings].contains(old)
        let new: Secret = isNew ? Secret() : old.settings.isEmpty ? .new : .newWithSettings
        var configuration = Connection.Configuration()
        configuration.readOnly = site.combination.location.isReadOnly
        configuration.hardened = site.combination.isHardened
        configuration.key = old.key
        configuration.cipherSettings = old.settings

        try trial.close()
        let change = Result {
            try Connection.changeKey(of: site.path, configuration: configuration, to: new.key)
            site.secret.withLock { $0 = new }
        }
        try trial.open()
        try change.get()
    }

    private static func takeSnapshot(_ trial: PairTrial) throws {
        let snapshot = try trial.subject.database.snapshot()
        let count = trial.model.records.count
        if !trial.combination.location.isReadOnly {
            let id = trial.model.nextID
            try trial.subject.write { try trial.insert(id, .make(id), on: $0) }
            trial.model.records[id] = .make(id)
        }
        let found = try snapshot.read { try $0.query("SELECT count(*) FROM t") as Int }
        try snapshot.close()
        try expect(found == count, "the snapshot has \(found) rows instead of \(count)")
    }

    private static func suspend(_ trial: PairTrial) throws {
        let database = try trial.subject.database
        try database.suspend()
        do {
            try database.read { _ in }
            throw Broken(description: "a suspended database reads")
        } catch let error as AccessError where error.reason == .suspended {}
        database.resume()
        try trial.holdAgain()
    }

    private static func useSecondProcess(_ trial: PairTrial) throws {
        let isWriting = !trial.combination.location.isReadOnly
        let secret = trial.site.secret.withLock { $0 }
        let id = trial.model.nextID
        var record = PairModel.Record.make(id)
        record.text = "other"
        record.number = 5
        let task = SecondProcess(
            path: trial.site.path,
            key: secret.key,
            settings: secret.settings,
            count: trial.model.records.count,
            insertion: isWriting
                ? """
                INSERT INTO t(id, a, n, b)
                VALUES(\(id), 'other', 5, x'\(record.bytes.hexadecimal)')
                """ : nil
        )
        try task.run(in: trial.site.folder)
        if isWriting {
            trial.model.records[id] = record
        }
    }

    /// After its access, what a closure has let out is refused, and later accesses don't notice.
    private static func useEscaped(_ trial: PairTrial) throws {
        var escaped: (connection: Connection, statement: Statement, cursor: Cursor)?
        try trial.subject.read { connection in
            let statement = try connection.prepare("SELECT count(*) FROM t")
            let cursor = try connection.cursor("SELECT id FROM t")
            _ = try cursor.next()
            escaped = (connection, statement, cursor)
        }
        guard let (connection, statement, cursor) = escaped else { return }
        let uses: [(name: String, use: () throws -> Void)] = [
            ("a connection", { try connection.execute("SELECT 1") }),
            ("a transaction", { try connection.transaction {} }),
            ("a statement", { let _: Int = try statement.query() }),
            ("a cursor", { _ = try cursor.next() }),
            ("close", { try connection.close() }),
        ]
        for (name, use) in uses {
            do {
                try use()
            } catch let error as SQLiteError where error.resultCode == .misuse {
                continue
            }
            throw Broken(description: "\(name) works after its access")
        }
        let count = trial.model.records.count
        let found = try trial.subject.read { try $0.query("SELECT count(*) FROM t") as Int }
        try expect(found == count, "after it \(found) rows instead of \(count)")
    }

    /// SQL can't switch off what protects from the file.
    private static func undoHardening(_ trial: PairTrial) throws {
        try trial.subject.access { connection in
            for name in ["trusted_schema", "cell_size_check"] {
                let before: Int = try connection.query("PRAGMA \(name)")
                _ = try? connection.execute("PRAGMA \(name) = \(1 - before)")
                let after: Int = try connection.query("PRAGMA \(name)")
                _ = try? connection.execute("PRAGMA \(name) = \(before)")
                try expect(after == before, "PRAGMA \(name) undoes the hardening")
            }
        }
    }
}

/// What another process of this program does with the database of a row.
struct SecondProcess: Codable {
    let path: String
    let key: Data?
    let settings: String
    /// How many rows it has to find.
    let count: Int
    let insertion: String?

    private static func file(in folder: String) -> String { folder + "/task.json" }

    func run(in folder: String) throws {
        let file = Self.file(in: folder)
        try JSONEncoder().encode(self).write(to: URL(fileURLWithPath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let process = try ChildProcess(WorkerTask.arguments("pairs", in: folder, number: 0))
        let lines = process.readRest(after: nil)
        try expect(process.hasEndedWell(), "the second process failed: \(lines)")
    }

    /// In that process.
    static func work(in folder: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: file(in: folder)))
        let task = try JSONDecoder().decode(SecondProcess.self, from: data)
        do {
            var configuration = Connection.Configuration()
            configuration.busyTimeout = PairSite.busyTimeout
            configuration.key = task.key
            configuration.cipherSettings = task.settings
            let connection = try Connection(path: task.path, configuration: configuration)
            let count: Int = try connection.query("SELECT count(*) FROM t")
            try expect(count == task.count, "\(count) rows instead of \(task.count)")
            if let insertion = task.insertion {
                try connection.run(insertion)
            }
            try connection.close()
        } catch {
            say("\(error)")
            throw error
        }
    }
}
