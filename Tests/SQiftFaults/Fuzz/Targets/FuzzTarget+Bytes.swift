import Foundation
import SQift

extension FuzzTarget {
    /// Bytes go in as text and as blobs, and come out as they were, also through tables, indexes,
    /// names and databases of another encoding.
    static let bytes = FuzzTarget(name: "bytes") { input in
        let connection = try Connection()
        let table = "CREATE TABLE t(id INTEGER PRIMARY KEY, v); CREATE INDEX i ON t(v)"
        try connection.execute(table)
        let bytes = Array(input.rest)
        try connection.run("INSERT INTO t VALUES(1, ?)", RawText(bytes: bytes))
        try connection.run("INSERT INTO t VALUES(2, ?)", input.data)
        try connection.run("INSERT INTO t VALUES(3, ?)", input.text)

        try expectBytes(bytes, id: 1, type: "text", on: connection)
        try expectBytes(bytes, id: 2, type: "blob", on: connection)
        try expectBytes(Array(input.text.utf8), id: 3, type: "text", on: connection)
        let repaired: String = try connection.query("SELECT v FROM t WHERE id = 1")
        try expect(repaired.utf8.elementsEqual(input.text.utf8), "repaired as \(repaired)")
        let ids: [Int] = try connection.query(
            "SELECT id FROM t INDEXED BY i WHERE v = ? ORDER BY id",
            RawText(bytes: bytes)
        )
        let isValid = input.text.utf8.elementsEqual(bytes)
        try expect(ids == (isValid ? [1, 3] : [1]), "found as \(ids)")
        try useAsName(input.text, on: connection)
        if isValid {
            try passThroughUTF16(input.text)
        }
        try useBlob(input.data, on: connection)
        try connection.close()
    }

    /// Bytes that are stored as TEXT, whether or not they are UTF-8.
    private struct RawText: Bindable {
        let bytes: [UInt8]

        var bindingValue: BindingValue { .text(String(decoding: bytes, as: UTF8.self)) }

        func bind(to slot: borrowing ParameterSlot) throws {
            try bytes.withUnsafeBytes { try slot.bind(utf8: $0) }
        }
    }

    private static func expectBytes(
        _ bytes: [UInt8],
        id: Int,
        type: String,
        on connection: Connection
    ) throws {
        let sql = "SELECT v, typeof(v) FROM t WHERE id = ?"
        let found: [Bool] = try connection.query(sql, id) { (row: Row) in
            let isSame = try row.withUnsafeBytes(at: 0) { $0.elementsEqual(bytes) }
            return try isSame && row.get(1) == type
        }
        try expect(found == [true], "\(bytes) came back otherwise as \(type)")
    }

    /// A quoted text is that text, and a name of a column or of a table.
    private static func useAsName(_ text: String, on connection: Connection) throws {
        guard !text.utf8.contains(0) else { return }
        let name = text.sqift.quotedIdentifier
        let literal = text.sqift.addingSQLEscapes()
        let rows: [Row] = try connection.query("SELECT \(literal) AS \(name)")
        let value: String = try rows[0].get(0)
        try expect(value.utf8.elementsEqual(text.utf8), "the literal is \(value)")
        let names = rows[0].columnNames
        try expect(names[0].utf8.elementsEqual(text.utf8), "the column is \(names)")
        // Names that begin so are SQLite's own.
        guard !text.lowercased().hasPrefix("sqlite_") else { return }
        var isMade = false
        try allowingErrors {
            try connection.execute("CREATE TABLE \(name)(a)")
            isMade = true
        }
        let exists = try connection.tableExists(text)
        let isTaken = ["t", "i"].contains(text.lowercased())
        try expect(isMade != isTaken && (exists == isMade || isTaken), "a table \(name): \(exists)")
    }

    private static func passThroughUTF16(_ text: String) throws {
        let connection = try Connection()
        try connection.execute("PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(v)")
        try connection.run("INSERT INTO t VALUES(?)", text)
        let found: String = try connection.query("SELECT v FROM t")
        // SQLite reads the code points that belong to no character as U+FFFD.
        let isSame = found.unicodeScalars.elementsEqual(text.unicodeScalars) {
            $0 == $1 || $0 == "\u{FFFD}"
        }
        try expect(isSame, "\(text.debugDescription) is \(found.debugDescription) in UTF-16")
    }

    private static func useBlob(_ data: Data, on connection: Connection) throws {
        let blob = try connection.openBlob(table: "t", column: "v", rowID: 2, readOnly: true)
        try expect(blob.count == data.count, "\(blob.count) bytes instead of \(data.count)")
        let half = data.count / 2
        let read = try blob.read(at: half, count: data.count - half)
        try expect(read == data.dropFirst(half), "the second half is \(read.count) bytes")
        try blob.close()
    }
}
