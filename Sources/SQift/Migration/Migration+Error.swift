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
            subject += " (\(place(at: offset)))"
        }
        return MigratorError(.failed, "\(subject): \(error)", migration: name, underlying: error)
    }

    /// The file, if there is one, and the line of the byte at `offset` of the SQL.
    func place(at offset: Int) -> String {
        let line = "line \(sql?.line(at: offset) ?? 1)"
        return file.map { "\($0), \(line)" } ?? line
    }
}
