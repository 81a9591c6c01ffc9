import CSQift
import SQift

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
