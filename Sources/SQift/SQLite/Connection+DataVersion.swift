extension Connection {
    /// A number that changes when another connection has changed the database. Compare it only with
    /// earlier values of the same connection.
    ///
    /// SQLite: [PRAGMA data_version](https://sqlite.org/pragma.html#pragma_data_version)
    public var dataVersion: Int64 {
        get throws { try query("PRAGMA data_version") ?? 0 }
    }
}
