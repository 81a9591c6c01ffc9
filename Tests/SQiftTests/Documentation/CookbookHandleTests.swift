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

    /// A word of ASCII letters and digits is a token, and so is each other letter by itself.
    enum LetterTokenizer {
        static func register(on connection: Connection) throws {
            try connection.withUnsafeHandle { database in
                guard let api = find(in: database) else { throw SQLiteError(code: .error) }
                var functions = fts5_tokenizer(
                    xCreate: { _, _, _, tokenizer in
                        tokenizer?.pointee = OpaquePointer(bitPattern: 1)  // it has no state
                        return SQLITE_OK
                    },
                    xDelete: { _ in },
                    xTokenize: { _, context, _, start, length, report in
                        let bytes = UnsafeRawBufferPointer(start: start, count: Int(length))
                        let text = String(decoding: bytes, as: UTF8.self)
                        for token in LetterTokenizer.tokens(of: text) {
                            let (start, end) = LetterTokenizer.bytes(of: token, upTo: length)
                            let name = token.lowercased()
                            let size = Int32(name.utf8.count)
                            let code = report?(context, 0, name, size, start, end) ?? SQLITE_OK
                            if code != SQLITE_OK {
                                return code
                            }
                        }
                        return SQLITE_OK
                    }
                )
                _ = api.pointee.xCreateTokenizer(api, "letters", nil, &functions, nil)
            }
        }

        /// FTS5 hands out its functions through a pointer that is bound to a parameter.
        private static func find(in database: OpaquePointer) -> UnsafeMutablePointer<fts5_api>? {
            var api: UnsafeMutablePointer<fts5_api>?
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            sqlite3_prepare_v2(database, "SELECT fts5(?)", -1, &statement, nil)
            withUnsafeMutablePointer(to: &api) {
                _ = sqlite3_bind_pointer(statement, 1, $0, "fts5_api_ptr", nil)
                _ = sqlite3_step(statement)
            }
            return api
        }

        /// The token's place. In text that isn't UTF-8, which Swift repairs, it can be too high.
        private static func bytes(of token: Substring, upTo length: Int32) -> (Int32, Int32) {
            let start = token.base.utf8.distance(from: token.base.startIndex, to: token.startIndex)
            return (min(Int32(start), length), min(Int32(start + token.utf8.count), length))
        }

        private static func tokens(of text: String) -> [Substring] {
            var tokens: [Substring] = []
            var isInWord = false
            for index in text.unicodeScalars.indices {
                let scalar = text.unicodeScalars[index]
                let end = text.unicodeScalars.index(after: index)
                let properties = scalar.properties
                let isLetter = properties.isAlphabetic || properties.numericType != nil
                if isInWord, isLetter, scalar.isASCII, let word = tokens.popLast() {
                    tokens.append(text[word.startIndex..<end])
                } else if isLetter {
                    tokens.append(text[index..<end])
                }
                isInWord = isLetter && scalar.isASCII
            }
            return tokens
        }
    }

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
