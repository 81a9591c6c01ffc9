extension Migration {
    /// An error about this migration.
    func error(_ reason: MigratorError.Reason, _ message: String) -> MigratorError {
        MigratorError(reason, message, migration: name)
    }

    /// The error for what the migration threw, with the line of its script.
    func failure(_ error: any Error) -> MigratorError {
        var subject = "migration \(name)"
        if let error = error as? SQLiteError, let sql, error.sql == sql {
            let offset = error.offset ?? (try? SQLText.with(sql) { $0.firstToken(from: 0) }) ?? 0
            let newlines = sql.utf8.prefix(offset).filter { $0 == "\n" }.count
            let file = file.map { "\($0), " } ?? ""
            subject += " (\(file)line \(newlines + 1))"
        }
        return MigratorError(.failed, "\(subject): \(error)", migration: name, underlying: error)
    }
}
