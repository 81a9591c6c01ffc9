import Foundation
import SQiftTestSupport
import Testing

import SQift

struct BlobTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.path())
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
        try Connection(path: folder.path()).query(
            "SELECT CAST(b AS TEXT) FROM t WHERE id = ?",
            rowID
        )
    }

    private func expectExpired(_ blob: Blob, sourceLocation: SourceLocation = #_sourceLocation) {
        for error in [
            sqliteError { _ = try blob.read(at: 0, count: 1) },
            sqliteError { try blob.write(Data("x".utf8), at: 0) },
        ] {
            #expect(error?.resultCode == .abort, sourceLocation: sourceLocation)
            #expect(error?.message.contains("t.b") == true, sourceLocation: sourceLocation)
        }
    }

    // MARK: Reading and writing

    @Test func itReadsAnyPart() throws {
        let blob = try open(readOnly: true)
        #expect(blob.count == 10)
        #expect(try blob.read(at: 0, count: 10) == Data("0123456789".utf8))
        #expect(try blob.read(at: 3, count: 4) == Data("3456".utf8))
        #expect(try blob.read(at: 9, count: 1) == Data("9".utf8))
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
        try blob.write(Data("ab".utf8), at: 0)
        try blob.write([UInt8]("z".utf8), at: 9)
        try blob.write(Data(), at: 10)
        #expect(try blob.read(at: 0, count: 10) == Data("ab2345678z".utf8))
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
        #expect(sqliteError { _ = try blob.read(at: 0, count: 1) }?.resultCode == .range)
        #expect(sqliteError { try blob.write(Data([1]), at: 0) }?.resultCode == .range)
        try blob.close()
    }

    @Test func aTextIsItsUTF8() throws {
        let blob = try open(4)
        #expect(blob.count == 5)
        #expect(try blob.read(at: 0, count: 2) == Data("ü".utf8))
        try blob.write(Data("ä".utf8), at: 0)
        try blob.close()
        #expect(
            try connection.query("SELECT b FROM t WHERE id = 4 AND typeof(b) = 'text'") == "äber"
        )
    }

    @Test func itGoesToAnotherRow() throws {
        let blob = try open()
        try blob.reopen(rowID: 2)
        #expect(blob.count == 3)
        #expect(try blob.read(at: 0, count: 3) == Data("abc".utf8))
        try blob.write(Data("X".utf8), at: 1)
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
            let error = sqliteError { _ = try open(rowID, readOnly: readOnly) }
            #expect(error?.message.contains("cannot open value of type") == true)
        }
        try connection.close()
    }

    @Test func whatIsMissingThrowsAndIsNamed() throws {
        let row = sqliteError { _ = try open(99) }
        #expect(row?.message == "no such rowid: 99")
        let column = sqliteError { _ = try connection.openBlob(table: "t", column: "no", rowID: 1) }
        #expect(column?.message.contains("no such column: \"no\"") == true)
        let table = sqliteError { _ = try connection.openBlob(table: "no", column: "b", rowID: 1) }
        #expect(table?.message.contains("no such table: main.no") == true)
        let database = sqliteError {
            _ = try connection.openBlob(database: "no", table: "t", column: "b", rowID: 1)
        }
        #expect(database?.message.contains("unknown database") == true)
        try connection.close()
    }

    @Test func tablesWithoutRowidAndViewsThrow() throws {
        try connection.execute(
            "CREATE TABLE w(id INTEGER PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO w VALUES(1, x'01');"
                + "CREATE VIEW v AS SELECT * FROM t"
        )
        #expect(
            sqliteError { _ = try connection.openBlob(table: "w", column: "b", rowID: 1) }?
                .resultCode == .error
        )
        #expect(
            sqliteError { _ = try connection.openBlob(table: "v", column: "b", rowID: 1) }?
                .resultCode == .error
        )
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
            let error = sqliteError {
                _ = try connection.openBlob(table: "g", column: "b", rowID: 1, readOnly: readOnly)
            }
            #expect(error?.resultCode == .error)
            #expect(error?.message.contains("generated columns: g") == true)
        }
    }

    @Test func aNULByteInANameIsAMisuse() throws {
        for (database, table, column) in [
            ("main\0", "t", "b"), ("main", "t\0x", "b"), ("main", "t", "b\0"),
        ] {
            let error = sqliteError {
                _ = try connection.openBlob(
                    database: database,
                    table: table,
                    column: column,
                    rowID: 1
                )
            }
            #expect(error?.resultCode == .misuse)
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
        #expect(try blob.read(at: 0, count: 4) == Data("data".utf8))
    }

    @Test func aColumnOfAnIndexIsOnlyRead() throws {
        let error = sqliteError { _ = try connection.openBlob(table: "t", column: "i", rowID: 1) }
        #expect(error?.message.contains("cannot open indexed column for writing") == true)
        let blob = try connection.openBlob(table: "t", column: "i", rowID: 1, readOnly: true)
        #expect(try blob.read(at: 0, count: 1) == Data([1]))
    }

    @Test func aColumnOfAForeignKeyIsOnlyRead() throws {
        try connection.execute(
            "PRAGMA foreign_keys = ON; CREATE TABLE c(p REFERENCES t(i)); INSERT INTO c(rowid, p) VALUES(1, x'01')"
        )
        let error = sqliteError { _ = try connection.openBlob(table: "c", column: "p", rowID: 1) }
        #expect(error?.message.contains("cannot open foreign key column for writing") == true)
        #expect(
            try connection.openBlob(table: "c", column: "p", rowID: 1, readOnly: true).count == 1
        )
    }

    @Test func aBlobForReadingIsNotWritten() throws {
        let blob = try open(readOnly: true)
        #expect(sqliteError { try blob.write(Data("x".utf8), at: 0) }?.resultCode == .readOnly)
        #expect(try blob.read(at: 0, count: 1) == Data("0".utf8))
        try blob.close()
        #expect(try stored() == "0123456789")
    }

    @Test func aReadOnlyConnectionOpensForReadingOnly() throws {
        let reader = try Connection(storageLocation: .onDisk(folder.path()), readOnly: true)
        let error = sqliteError { _ = try reader.openBlob(table: "t", column: "b", rowID: 1) }
        #expect(error?.resultCode == .readOnly)
        let blob = try reader.openBlob(table: "t", column: "b", rowID: 1, readOnly: true)
        #expect(try blob.read(at: 0, count: 2) == Data("01".utf8))
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
        #expect(sqliteError { _ = try blob.read(at: offset, count: count) }?.resultCode == .range)
        if (0...16).contains(count) {
            #expect(
                sqliteError { try blob.write(Data(count: count), at: offset) }?.resultCode == .range
            )
            var bytes = [UInt8](repeating: 7, count: count)
            let error = sqliteError {
                try bytes.withUnsafeMutableBytes { try blob.read(into: $0, at: offset) }
            }
            #expect(error?.resultCode == .range)
            #expect(bytes.allSatisfy { $0 == 7 })
        }
        #expect(try blob.read(at: 0, count: 10) == Data("0123456789".utf8))
    }
}
