import Foundation
import SQift
import SQiftTestSupport
import Testing

struct BlobTests {
    private let folder = TemporaryFolder.fresh
    private let connection: Connection

    init() throws {
        connection = try folder.connection()
        try connection.execute(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, b, i UNIQUE);
            INSERT INTO t VALUES(1, CAST('0123456789' AS BLOB), x'01'), (2, CAST('abc' AS BLOB), x'02'),
                (3, x'', NULL), (4, 'über', NULL), (5, NULL, NULL), (6, 42, NULL), (7, 1.5, NULL);
            """
        )
    }

    private func open(_ rowID: Int64 = 1, readOnly: Bool = false) throws -> Blob {
        try connection.openBlob(table: "t", column: "b", rowID: rowID, readOnly: readOnly)
    }

    private func stored(_ rowID: Int64 = 1) throws -> String {
        try folder.connection().query(
            "SELECT CAST(b AS TEXT) FROM t WHERE id = ?",
            rowID
        )
    }

    private func expectExpired(_ blob: Blob, sourceLocation: SourceLocation = #_sourceLocation) {
        for error in [
            sqliteError { _ = try blob.read(at: 0, count: 1) },
            sqliteError { try blob.write("x", at: 0) },
        ] {
            #expect(error?.resultCode == .abort, sourceLocation: sourceLocation)
            #expect(error?.message.contains("t.b") == true, sourceLocation: sourceLocation)
        }
    }

    // MARK: Reading and writing

    @Test func itReadsAnyPart() throws {
        let blob = try open(readOnly: true)
        #expect(blob.count == 10)
        try blob.expect("0123456789")
        try blob.expect("3456", at: 3)
        try blob.expect("9", at: 9)
        #expect(try blob.read(at: 10, count: 0).isEmpty)
    }

    @Test func itReadsIntoABufferAsMuchAsThatHolds() throws {
        let blob = try open(readOnly: true)
        var bytes = [UInt8](repeating: 1, count: 4)
        try bytes.withUnsafeMutableBytes { try blob.read(into: .init(rebasing: $0[1..<3]), at: 8) }
        #expect(bytes == [1, 56, 57, 1])
        try blob.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0), at: 10)
    }

    @Test func itWritesOverAnyPartAndCloseCommitsThat() throws {
        let blob = try open()
        try blob.write("ab", at: 0)
        try blob.write([UInt8]("z".utf8), at: 9)
        try blob.write(Data(), at: 10)
        try blob.expect("ab2345678z")
        #expect(try stored() == "0123456789")
        try blob.close()
        #expect(try stored() == "ab2345678z")
    }

    @Test func itWritesASliceOfData() throws {
        let blob = try open()
        try blob.write(Data("..XY..".utf8)[2..<4], at: 4)
        try blob.close()
        #expect(try stored() == "0123XY6789")
    }

    @Test func anEmptyBlobHasNothingToReadOrWrite() throws {
        let blob = try open(3)
        #expect(blob.count == 0)
        #expect(try blob.read(at: 0, count: 0).isEmpty)
        try blob.write(Data(), at: 0)
        expectSQLiteError(.range) { _ = try blob.read(at: 0, count: 1) }
        expectSQLiteError(.range) { try blob.write(Data([1]), at: 0) }
        try blob.close()
    }

    @Test func aTextIsItsUTF8() throws {
        let blob = try open(4)
        #expect(blob.count == 5)
        try blob.expect("ü")
        try blob.write("ä", at: 0)
        try blob.close()
        #expect(
            try connection.query("SELECT b FROM t WHERE id = 4 AND typeof(b) = 'text'") == "äber"
        )
    }

    @Test func itGoesToAnotherRow() throws {
        let blob = try open()
        try blob.reopen(rowID: 2)
        #expect(blob.count == 3)
        try blob.expect("abc")
        try blob.write("X", at: 1)
        try blob.close()
        #expect(try stored(1) == "0123456789")
        #expect(try stored(2) == "aXc")
    }

    @Test(arguments: [5, 6, 7, 99] as [Int64])
    func aBlobThatCannotBeReopenedHasExpired(rowID: Int64) throws {
        let blob = try open()
        let error = sqliteError { try blob.reopen(rowID: rowID) }
        #expect(error?.resultCode == .error)
        #expect(
            error?.message.contains(rowID == 99 ? "no such rowid: 99" : "cannot open value of type")
                == true
        )
        #expect(blob.count == 0)
        expectExpired(blob)
        try blob.close()
    }

    @Test func afterCloseEveryUseIsAMisuseThatNamesTheBlob() throws {
        let blob = try open()
        try blob.close()
        try blob.close()
        #expect(blob.count == 0)
        for error in [
            sqliteError { _ = try blob.read(at: 0, count: 0) },
            sqliteError {
                try blob.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0), at: 0)
            },
            sqliteError { try blob.write(Data(), at: 0) },
            sqliteError { try blob.reopen(rowID: 1) },
        ] {
            #expect(error?.resultCode == .misuse)
            #expect(error?.message.contains("t.b") == true)
        }
    }

    // MARK: What can't be opened

    @Test(arguments: [5, 6, 7] as [Int64])
    func aValueThatIsNeitherBlobNorTextThrows(rowID: Int64) throws {
        for readOnly in [true, false] {
            expectSQLiteError(containing: "cannot open value of type") {
                _ = try open(rowID, readOnly: readOnly)
            }
        }
        try connection.close()
    }

    @Test func whatIsMissingThrowsAndIsNamed() throws {
        expectSQLiteError(message: "no such rowid: 99") { _ = try open(99) }
        let column = sqliteError { _ = try connection.openBlob(table: "t", column: "no", rowID: 1) }
        #expect(column?.message.contains("no such column: \"no\"") == true)
        let table = sqliteError { _ = try connection.openBlob(table: "no", column: "b", rowID: 1) }
        #expect(table?.message.contains("no such table: main.no") == true)
        expectSQLiteError(containing: "unknown database") {
            _ = try connection.openBlob(database: "no", table: "t", column: "b", rowID: 1)
        }
        try connection.close()
    }

    @Test func tablesWithoutRowidAndViewsThrow() throws {
        try connection.execute(
            "CREATE TABLE w(id INTEGER PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO w VALUES(1, x'01');"
                + "CREATE VIEW v AS SELECT * FROM t"
        )
        expectSQLiteError(.error) { _ = try connection.openBlob(table: "w", column: "b", rowID: 1) }
        expectSQLiteError(.error) { _ = try connection.openBlob(table: "v", column: "b", rowID: 1) }
    }

    /// Older versions of SQLite read and write another column of such a table.
    @Test(arguments: ["VIRTUAL", "STORED"]) func generatedColumnsThrow(kind: String) throws {
        try connection.execute(
            """
            CREATE TABLE g(a, h AS (hex(a)) \(kind), b, c);
            INSERT INTO g(a, b, c) VALUES(x'01', x'0203', x'0405')
            """
        )
        for readOnly in [true, false] {
            expectSQLiteError(.error, containing: "generated columns: g") {
                _ = try connection.openBlob(table: "g", column: "b", rowID: 1, readOnly: readOnly)
            }
        }
    }

    @Test func aNULByteInANameIsAMisuse() throws {
        for (database, table, column) in [
            ("main\0", "t", "b"), ("main", "t\0x", "b"), ("main", "t", "b\0"),
        ] {
            expectSQLiteError(.misuse) {
                _ = try connection.openBlob(
                    database: database,
                    table: table,
                    column: column,
                    rowID: 1
                )
            }
        }
    }

    @Test(arguments: ["a b", "it's", "\"", "日本😀", "select", "x; DROP TABLE t"])
    func namesAreNamesAndNotSQL(name: String) throws {
        let quoted = name.sqift.quotedIdentifier
        try connection.attachDatabase(from: .inMemory, withName: name)
        try connection.execute("CREATE TABLE \(quoted).\(quoted)(\(quoted))")
        try connection.run(
            "INSERT INTO \(quoted).\(quoted)(rowid, \(quoted)) VALUES(-7, ?)",
            Data("data".utf8)
        )
        let blob = try connection.openBlob(database: name, table: name, column: name, rowID: -7)
        try blob.expect("data")
    }

    @Test func aColumnOfAnIndexIsOnlyRead() throws {
        expectSQLiteError(containing: "cannot open indexed column for writing") {
            _ = try connection.openBlob(table: "t", column: "i", rowID: 1)
        }
        let blob = try connection.openBlob(table: "t", column: "i", rowID: 1, readOnly: true)
        #expect(try blob.read(at: 0, count: 1) == Data([1]))
    }

    @Test func aColumnOfAForeignKeyIsOnlyRead() throws {
        try connection.execute(
            "PRAGMA foreign_keys = ON; CREATE TABLE c(p REFERENCES t(i)); INSERT INTO c(rowid, p) VALUES(1, x'01')"
        )
        expectSQLiteError(containing: "cannot open foreign key column for writing") {
            _ = try connection.openBlob(table: "c", column: "p", rowID: 1)
        }
        #expect(
            try connection.openBlob(table: "c", column: "p", rowID: 1, readOnly: true).count == 1
        )
    }

    @Test func aBlobForReadingIsNotWritten() throws {
        let blob = try open(readOnly: true)
        expectSQLiteError(.readOnly) { try blob.write("x", at: 0) }
        try blob.expect("0")
        try blob.close()
        #expect(try stored() == "0123456789")
    }

    @Test func aReadOnlyConnectionOpensForReadingOnly() throws {
        let reader = try Connection(storageLocation: .onDisk(folder.path()), readOnly: true)
        expectSQLiteError(.readOnly) { _ = try reader.openBlob(table: "t", column: "b", rowID: 1) }
        let blob = try reader.openBlob(table: "t", column: "b", rowID: 1, readOnly: true)
        try blob.expect("01")
    }

    // MARK: Ranges

    @Test(arguments: [
        (-1, 1), (-1, 0), (Int.min, 1), (0, 11), (1, 10), (10, 1), (11, 0), (5, 6), (Int.max, 1),
        (Int.max, 0),
        (Int.max, Int.max), (1, Int.max), (0, Int(Int32.max)), (1 << 32, 1), (0, 1 << 32), (0, -1),
        (5, Int.min),
        (Int.min, Int.min),
    ])
    func bytesThatTheBlobHasNotAreOutOfRange(offset: Int, count: Int) throws {
        let blob = try open()
        expectSQLiteError(.range) { _ = try blob.read(at: offset, count: count) }
        if (0...16).contains(count) {
            expectSQLiteError(.range) { try blob.write(Data(count: count), at: offset) }
            var bytes = [UInt8](repeating: 7, count: count)
            expectSQLiteError(.range) {
                try bytes.withUnsafeMutableBytes { try blob.read(into: $0, at: offset) }
            }
            #expect(bytes.allSatisfy { $0 == 7 })
        }
        try blob.expect("0123456789")
    }
}
