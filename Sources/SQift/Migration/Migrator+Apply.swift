extension Migrator {
    /// Calls `body` under the conditions that every run needs: foreign keys aren't enforced, and
    /// statements wait for another process's lock.
    func withForeignKeysOffAndBusyTimeout<T>(_ body: () throws -> T) throws -> T {
        try checkConnection()
        let needsTimeout =
            try connection.query("PRAGMA busy_timeout") == 0 && !connection.hasBusyHandler
        if needsTimeout {
            try connection.busyHandler(.timeout(busyTimeout))
        }
        defer { if needsTimeout { try? connection.busyHandler(.defaultBehavior) } }
        return try connection.setting(.foreignKeys, to: false, during: body)
    }

    /// Throws if the connection is in the middle of something.
    func checkConnection() throws {
        try connection.refuseRunningStatements("migrations can't run")
        guard connection.isInsideTransaction else { return }
        throw MigratorError(
            .insideTransaction,
            "migrations run in transactions of their own: end this one first, "
                + "or use writeWithoutTransaction"
        )
    }

    /// Runs a named migration and records it. Its errors say where they occurred.
    ///
    /// - Returns: False if another process has run the migration meanwhile.
    func apply(_ migration: Migration, audit: inout ForeignKeyAudit) throws -> Bool {
        try checkConnection()
        do {
            return try apply(migration, audit: &audit) { try migration.body(connection) }
        } catch let error as MigratorError
            where error.migration == migration.name
        {
            throw error
        } catch {
            throw MigratorError.failure(of: migration, error)
        }
    }

    /// Runs a migration by calling `body`, and records it: in one transaction, if the migration
    /// allows it.
    ///
    /// - Returns: False if another process has run the migration meanwhile.
    func apply(
        _ migration: some RecordedMigration,
        audit: inout ForeignKeyAudit,
        body: () throws -> Void
    ) throws -> Bool {
        let options = migration.options
        return try connection.setting(
            .foreignKeys,
            to: options.contains(.enforcingForeignKeys)
        ) {
            // Foreign keys can't be switched back in a transaction that a migration has left open.
            defer { if connection.isInsideTransaction { connection.rollBackLeftovers() } }
            if options.contains(.withoutTransaction) {
                return try runAndRecord(migration, audit: &audit, body: body)
            }
            return try connection.transaction(transactionType: .immediate) {
                try runAndRecord(migration, audit: &audit) {
                    try connection.denyingTransactions(body)
                }
            }
        }
    }

    private func runAndRecord(
        _ migration: some RecordedMigration,
        audit: inout ForeignKeyAudit,
        body: () throws -> Void
    ) throws -> Bool {
        if try migration.isRecorded(in: connection) {
            return false
        }
        let isChecked = migration.options.isDisjoint(with: [
            .enforcingForeignKeys, .withoutForeignKeyCheck,
        ])
        if isChecked {
            try audit.begin()
        } else {
            audit.isCurrent = false
        }
        let wasInsideTransaction = connection.isInsideTransaction
        let changes = connection.totalChanges
        let schemaVersion = try connection.schemaVersion()

        try body()

        // This throws if the connection was closed.
        let hasNewSchema = try connection.schemaVersion() != schemaVersion
        guard connection.isInsideTransaction == wasInsideTransaction else {
            let problem = "migration \(migration.name) ended, or left open, a transaction"
            throw migration.error(.failed, problem)
        }
        if hasNewSchema || connection.totalChanges != changes {
            try audit.check(after: migration.name, hasNewSchema: hasNewSchema)
        }
        try migration.record(in: connection)
        return true
    }
}
