import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The blocks of Docs/Cookbook.md about exports and CSV.
struct CookbookExportTests {
    private let folder: TemporaryFolder
    private let database: Database

    init() throws {
        folder = try TemporaryFolder()
        database = try folder.open()
        try database.write { connection in
            try connection.execute(
                "CREATE TABLE cars(name TEXT NOT NULL, price INTEGER, note TEXT, weight REAL)"
            )
        }
    }

    @Test func anExportReadsRowByRow() async throws {
        try await database.write { connection in
            let insert = "INSERT INTO cars VALUES(?, ?, ?, ?)"
            try connection.run(insert, "Audi", 52_642, "says \"hi\", twice", 1.5)
            try connection.run(insert, "Lada", nil, "", nil)
        }
        let path = folder.path("cars.csv")

        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try await database.read { connection in
            let cursor = try connection.cursor("SELECT name, price, note, weight FROM cars")
            var lines = Data()
            while let row = try cursor.next() {
                lines += try csvLine(of: row).utf8
                if lines.count > 65_536 {
                    try file.write(contentsOf: lines)
                    lines.removeAll(keepingCapacity: true)
                }
            }
            try file.write(contentsOf: lines)
        }

        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text == "\"Audi\",52642,\"says \"\"hi\"\", twice\",1.5\r\n\"Lada\",,\"\",\r\n")
    }

    @Test func anImportTakesTheTypesOfTheColumns() async throws {
        let text = "name,price,note\nAudi,52642,\"two\nlines\"\r\n\"Lada\",,\"say \"\"hi\"\"\"\n"

        try await database.write { connection in
            let insert = try connection.prepare(
                "INSERT INTO cars(name, price, note) VALUES(?, nullif(?, ''), ?)"
            )
            // The first row has the names of the columns.
            for fields in csvRows(of: text).dropFirst() {
                try insert.bind(fields).run()
            }
        }

        let found: [String] = try await database.read { connection in
            try connection.query(
                "SELECT name || ' ' || typeof(price) || ' ' || note FROM cars ORDER BY name"
            )
        }
        #expect(found == ["Audi integer two\nlines", "Lada null say \"hi\""])
    }

    @Test(
        arguments: [
            ("", []),
            ("a,b", [["a", "b"]]),
            ("a,b\r\n\r\nc", [["a", "b"], ["c"]]),
            ("\"\",\"\"\"\"\n", [["", "\""]]),
            ("\"a,b\r\nc\",d\n", [["a,b\r\nc", "d"]]),
            ("é,\u{301}\n🚗,", [["é", "\u{301}"], ["🚗", ""]]),
        ] as [(String, [[String]])]
    )
    func fieldsMayHoldAnything(text: String, rows: [[String]]) {
        #expect(csvRows(of: text) == rows)
    }

    @Test func whatIsWrittenIsReadBack() throws {
        let connection = try Connection()
        let texts = ["", "\"", ",", "\r\n", "a\"\"b", "\n\"", "é\u{301}", "1"]
        for text in texts {
            let line =
                try connection.query("SELECT ?, 'end'", text) { row in
                    try csvLine(of: row)
                } as String?
            #expect(csvRows(of: line ?? "") == [[text, "end"]])
        }
    }
}
