internal import CSQift

extension Connection {
    /// Switches off what a malicious file could use, as `Configuration.hardened` describes.
    ///
    /// https://sqlite.org/security.html
    func harden() throws {
        let switches = [
            (SQLITE_DBCONFIG_DEFENSIVE, Int32(1), "defensive"),
            (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, "trusted_schema"),
            (SQLITE_DBCONFIG_DQS_DML, 0, "dqs_dml"),
            (SQLITE_DBCONFIG_DQS_DDL, 0, "dqs_ddl"),
            (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, "load_extension"),
        ]
        for (operation, value, name) in switches {
            var now: Int32 = -1
            let code = sqift_db_switch(handle, operation, value, &now)
            guard code == SQLITE_OK, now == value else {
                throw hardeningError(name)
            }
        }
        try execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
        guard try pragmaValue("cell_size_check") == 1 else {
            throw hardeningError("cell_size_check")
        }
    }

    private func hardeningError(_ name: String) -> SQLiteError {
        SQLiteError(code: .error, message: "\(name) can't be set, as hardened asks for")
    }
}
