import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The recipes that call SQLite through the handle.
struct CookbookHandleTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    // MARK: A tokenizer

    @Test(.enabled(if: Capability.fts5, "this SQLite has no FTS5"))
    func aTokenizerInSwift() throws {
        try LetterTokenizer.register(on: connection)
        try connection.execute("CREATE VIRTUAL TABLE notes USING fts5(body, tokenize = 'letters')")
        try connection.run("INSERT INTO notes VALUES(?)", "東京都の天気 Weather2 in Tokyo")
        let found: Int = try connection.query(
            "SELECT count(*) FROM notes WHERE notes MATCH ?",
            #""京都" AND weather2"#
        )
        #expect(found == 1)

        let places: String = try connection.query(
            "SELECT highlight(notes, 0, '[', ']') FROM notes WHERE notes MATCH ?",
            "天 OR tokyo"
        )
        #expect(places == "東京都の[天]気 Weather2 in [Tokyo]")
        #expect(
            try connection.query("SELECT count(*) FROM notes WHERE notes MATCH 'weather'") == 0
        )
    }

    @Test(.enabled(if: Capability.fts5, "this SQLite has no FTS5"))
    func aTokenizerSurvivesAnyBytes() throws {
        try LetterTokenizer.register(on: connection)
        try connection.execute("CREATE VIRTUAL TABLE notes USING fts5(body, tokenize = 'letters')")
        for text in ["''", "CAST(x'ff41ff' AS TEXT)", "'a' || char(0) || 'b'", "'🚗é'"] {
            try connection.execute("INSERT INTO notes VALUES(\(text))")
        }
        #expect(try connection.query("SELECT count(*) FROM notes WHERE notes MATCH 'b'") == 1)
    }

    // MARK: A pre-update hook

    /// What the price of each changed row was before, and is after.
    final class History {
        var lines: [String] = []
    }

    @Test func aPreUpdateHookSeesOldAndNewValues() throws {
        try connection.execute(
            "CREATE TABLE cars(name TEXT, price INTEGER); INSERT INTO cars VALUES('Audi', 52642)"
        )

        typealias Hook =
            @convention(c) (
                UnsafeMutableRawPointer?, OpaquePointer?, Int32, UnsafePointer<CChar>?,
                UnsafePointer<CChar>?, Int64, Int64
            ) -> Void
        typealias SetHook =
            @convention(c) (OpaquePointer?, Hook?, UnsafeMutableRawPointer?) ->
            UnsafeMutableRawPointer?
        typealias Read =
            @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Int32
        enum Functions {
            static let setHook = find("sqlite3_preupdate_hook", as: SetHook.self)
            static let old = find("sqlite3_preupdate_old", as: Read.self)
            static let new = find("sqlite3_preupdate_new", as: Read.self)

            static func find<T>(_ name: String, as type: T.Type) -> T? {
                dlsym(dlopen(nil, RTLD_NOW), name).map { unsafeBitCast($0, to: type) }
            }

            /// The second column's value before or after the change; nil if the row isn't there then.
            static func text(_ read: Read?, _ database: OpaquePointer?) -> String? {
                var value: OpaquePointer?
                guard let read, read(database, 1, &value) == SQLITE_OK else { return nil }
                return sqlite3_value_text(value).map { String(cString: $0) }
            }
        }
        guard let setHook = Functions.setHook else { return }  // this SQLite is built without it
        let history = History()
        try connection.withUnsafeHandle { database in
            _ = setHook(
                database,
                { history, database, operation, _, table, _, _ in
                    guard let history, let table, String(cString: table) == "cars" else { return }
                    let isInsert = operation == SQLITE_INSERT
                    let isDelete = operation == SQLITE_DELETE
                    let old = isInsert ? nil : Functions.text(Functions.old, database)
                    let new = isDelete ? nil : Functions.text(Functions.new, database)
                    Unmanaged<History>.fromOpaque(history).takeUnretainedValue().lines
                        .append("\(old ?? "-") to \(new ?? "-")")
                },
                Unmanaged.passUnretained(history).toOpaque()
            )
        }
        try connection.execute(
            """
            UPDATE cars SET price = 49900;
            INSERT INTO cars VALUES('Lada', 1500);
            DELETE FROM cars WHERE name = 'Audi'
            """
        )
        _ = try connection.withUnsafeHandle { setHook($0, nil, nil) }
        print(history.lines)  // ["52642 to 49900", "- to 1500", "49900 to -"]

        try connection.run("UPDATE cars SET price = 1")
        #expect(history.lines == ["52642 to 49900", "- to 1500", "49900 to -"])
    }
}
