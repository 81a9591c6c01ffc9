/// A comment in SQL.
struct SQLComment {
    /// With `--`, but not the line feed at its end; or with `/*`, and `*/` if it has that.
    let text: String
    /// The byte in the SQL at which it begins, from 0.
    let offset: Int
    /// Whether nothing is before it in its line.
    let beginsLine: Bool
    /// Whether it begins with `/*` and has no end.
    let isOpen: Bool
}

extension String {
    /// The comments in this SQL as SQLite sees them: none is in a string or in a quoted name.
    ///
    /// SQLite: [SQL Comment Syntax](https://sqlite.org/lang_comment.html)
    var comments: [SQLComment] {
        let bytes = Array(utf8)
        let byteOrderMark = "\u{FEFF}".utf8
        let firstLine = bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
        var comments: [SQLComment] = []
        var offset = firstLine
        while offset < bytes.count {
            let rest = bytes[offset...]
            let isBlock = rest.starts(with: "/*".utf8)
            let isComment = isBlock || rest.starts(with: "--".utf8)
            let end: Int?
            switch Unicode.Scalar(bytes[offset]) {
            case _ where isBlock:
                let last = rest.dropFirst(2).indices.first { rest[$0...].starts(with: "*/".utf8) }
                end = last.map { $0 + 2 }
            case _ where isComment:
                end = rest.firstIndex { $0 == "\n" }
            case "'", "\"", "`":
                end = rest.dropFirst().firstIndex(of: bytes[offset]).map { $0 + 1 }
            case "[":
                end = rest.firstIndex { $0 == "]" }.map { $0 + 1 }
            default:
                end = offset + 1
            }
            let token = rest[..<(end ?? bytes.count)]
            if isComment {
                let comment = SQLComment(
                    text: String(decoding: token, as: UTF8.self),
                    offset: offset,
                    beginsLine: offset == firstLine || bytes[offset - 1] == "\n",
                    isOpen: isBlock && end == nil
                )
                comments.append(comment)
            }
            offset = token.endIndex
        }
        return comments
    }

    /// The line of the byte at `offset`, from 1.
    func line(at offset: Int) -> Int {
        utf8.prefix(offset).filter { $0 == "\n" }.count + 1
    }
}
