import Foundation
import SQift
import SQiftTestSupport

/// A database file that gets another key.
struct KeyedFile {
    let folder: TemporaryFolder
    let path: String

    /// A change of each kind, with keys that are quick.
    static let changes: [(old: Data?, new: Data?)] = [
        (Keys.one, Keys.other), (nil, Keys.one), (Keys.one, nil),
    ]

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
    }

    init(in folder: TemporaryFolder, path: String) {
        self.folder = folder
        self.path = path
    }

    func changeKey(
        from old: Data?,
        settings: SQL = "",
        to new: Data?,
        busyTimeout: Double = 5
    ) throws {
        try Connection.changeKey(
            of: path,
            configuration: configuration(old, settings, busyTimeout: busyTimeout),
            to: new
        )
    }

    func configuration(
        _ key: Data?,
        _ settings: SQL = "",
        busyTimeout: Double = 5
    ) -> Connection.Configuration {
        var configuration = Connection.Configuration(key: key)
        configuration.cipherSettings = settings
        configuration.busyTimeout = busyTimeout
        return configuration
    }

    /// Makes a file with rowids that a `VACUUM` would change, and everything else that a copy may
    /// lose.
    func make(
        _ key: Data?,
        settings: SQL = "",
        journalMode: String = "delete",
        rowCount: Int = 300,
        pragmas: SQL = ""
    ) throws {
        let connection = try Connection(path: path, configuration: configuration(key, settings))
        try connection.execute(
            """
            \(pragmas);
            PRAGMA auto_vacuum = INCREMENTAL;
            PRAGMA journal_mode = \(journalMode);
            PRAGMA user_version = 7;
            PRAGMA application_id = 1130459763;
            CREATE TABLE t(x);
            WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < \(rowCount))
            INSERT INTO t SELECT 'open secret' || hex(randomblob(400)) FROM n;
            DELETE FROM t WHERE rowid % 3 = 1;
            CREATE INDEX i ON t(x);
            CREATE VIEW v AS SELECT count(*) AS number FROM t;
            CREATE TRIGGER g AFTER DELETE ON t BEGIN SELECT 1; END
            """
        )
        try connection.close()
    }

    /// Everything that another key must leave as it is.
    func state(_ key: Data?, _ settings: SQL = "") throws -> [String] {
        let connection = try Connection(path: path, configuration: configuration(key, settings))
        let pragmas = [
            "user_version", "application_id", "auto_vacuum", "encoding", "journal_mode",
            "page_size", "integrity_check",
        ]
        let values = try pragmas.map { pragma in
            let value: String = try connection.query(
                "SELECT CAST(\(pragma) AS TEXT) FROM pragma_\(pragma)"
            )
            return "\(pragma): \(value)"
        }
        let schema: [String] = try connection.query("SELECT sql FROM sqlite_schema ORDER BY name")
        let rows: [String] = try connection.query("SELECT rowid || x FROM t ORDER BY rowid")
        try connection.setPersistentWAL(false)
        try connection.close()
        return values + schema + rows
    }
}
