extension Migrator {
    /// Calls `body`, whose statements wait for another process's lock.
    func withBusyTimeout<T>(_ body: () throws -> T) throws -> T {
        try checkConnection()
        let waiting = connection.waiting
        // Set again even if it stays the same: the pragma may have dropped it.
        connection.waiting = waiting.seconds == 0 ? .timeout(busyTimeout) : waiting
        defer { connection.waiting = waiting }
        return try body()
    }

    /// Throws if the connection is in the middle of something.
    func checkConnection() throws {
        try connection.refuseRunningStatements("migrations can't run")
        guard connection.isInsideTransaction else { return }
        throw MigratorError(
            .insideTransaction,
            """
            migrations run in transactions of their own: end this one first, or use \
            writeWithoutTransaction
            """
        )
    }

    /// Runs a migration by calling `body`, and records it: in one transaction, if the migration
    /// allows it.
    ///
    /// - Returns: False if another process has run the migration meanwhile.
    /// - Throws: For a migration with a name, an error that says where it occurred.
    func apply(
        _ migration: Migration,
        audit: ForeignKeyAudit,
        body: () throws -> Void
    ) throws -> Bool {
        try checkConnection()
        do {
            return try connection.withPragma(
                "foreign_keys",
                isOn: migration.options.contains(.enforcingForeignKeys)
            ) {
                // Foreign keys can't be switched back in a transaction that was left open.
                defer { connection.rollBackLeftovers() }
                if migration.options.contains(.withoutTransaction) {
                    return try runAndRecord(migration, audit: audit, body: body)
                }
                return try connection.transaction(transactionType: .immediate) {
                    try runAndRecord(migration, audit: audit) {
                        let isOld = migration.isNumbered || accepted.contains(migration.name)
                        try connection.denyingTransactions(andJournalModes: !isOld, body)
                    }
                }
            }
        } catch {
            let known = error as? MigratorError
            if migration.isNumbered
                || known?.migration == migration.name
                || known?.reason == .databaseIsNewer
            {
                throw error
            }
            throw migration.failure(error)
        }
    }

    private func runAndRecord(
        _ migration: Migration,
        audit: ForeignKeyAudit,
        body: () throws -> Void
    ) throws -> Bool {
        // Another process may have run it meanwhile, or the migrations of a newer program.
        if try connection.dataVersion != recordsVersion {
            let records = try MigrationRecords(
                in: connection,
                for: migration.isNumbered ? [migration] : migrations
            )
            let pending =
                try migration.isNumbered
                ? records.pending : records.pending(upTo: nil, edited: .ignore)
            guard pending.contains(where: { $0.name == migration.name }) else { return false }
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

        let hasNewSchema = try connection.schemaVersion() != schemaVersion
        guard connection.isInsideTransaction == wasInsideTransaction else {
            throw migration.error(
                .failed,
                "migration \(migration.name) ended, or left open, a transaction"
            )
        }
        if hasNewSchema || connection.totalChanges != changes {
            try audit.check(after: migration, hasNewSchema: hasNewSchema)
        }
        try migration.record(in: connection)
        return true
    }
}
