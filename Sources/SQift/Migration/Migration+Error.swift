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
            let rest = sql.suffix(from: sql.utf8.index(sql.startIndex, offsetBy: offset))
            subject += " (\(location(of: rest)))"
        }
        return MigratorError(.failed, "\(subject): \(error)", migration: name, underlying: error)
    }

    /// The file, if there is one, and the line in which this part of the SQL begins.
    func location(of part: Substring) -> String {
        let line = "line \(part.lineNumber)"
        return file.map { "\($0), \(line)" } ?? line
    }
}
