internal import CSQift
import Foundation

extension Connection {
    /// A file for this connection to attach or to VACUUM into. It is on the default VFS if the
    /// connection accepts a URI that says so, as every connection with a named VFS does.
    func fileOnDefaultVFS(_ path: String, mode: String) -> StorageLocation {
        guard opening.usesURIs, let vfs = sqlite3_vfs_find(nil)?.pointee.zName else {
            return .onDisk(path)
        }
        let name = String(cString: vfs).addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        return .uri(forFile: path, parameters: "mode=\(mode)&vfs=\(name ?? "")")
    }

    /// The location of a database's file for another connection. If this one has opened it as
    /// immutable, so will the other, which would otherwise write a `-shm` beside it.
    func location(ofFile file: String, of database: String) -> StorageLocation {
        .uri(forFile: file, parameters: "immutable=\(sqift_is_immutable(handle, database))")
    }

    /// Throws if this connection itself is writing to the database. SQLite would report the
    /// database as busy forever.
    func refuseOwnWrite(to database: String) throws {
        guard try withUnsafeHandle({ sqift_txn_state($0, database) == SQLITE_TXN_WRITE }) else {
            return
        }
        throw SQLiteError(
            code: .locked,
            message: "the source is in a write transaction of its own: end that before"
        )
    }

    func pageSize(of database: String = "main") throws -> Int {
        // Makes SQLite read the file's header again.
        _ = try schemaVersion(of: database)
        // A query wouldn't do: SQLCipher returns it as text.
        return Int(try pragmaValue("\(database.quotedAsIdentifier).page_size"))
    }

    /// Whether `main` has a table or anything else in its schema.
    func hasSchema() throws -> Bool {
        try number("SELECT EXISTS(SELECT 1 FROM main.sqlite_schema)") == 1
    }
}
