import Foundation

extension String {
    /// The comments in this SQL as SQLite sees them: none is in a string or in a quoted name. One
    /// that begins with `--` is without its line end. One that begins with `/*` may have no end.
    ///
    /// SQLite: [SQL Comment Syntax](https://sqlite.org/lang_comment.html)
    var comments: [Substring] {
        let quoted = #"'[^']*'?|\x22[^\x22]*\x22?|`[^`]*`?|\[[^\]]*\]?"#
        let comment = #"--[^\n]*?(?=\r?(?:\n|\z))|/\*[\s\S]*?(?:\*/|\z)"#
        let expression = try? NSRegularExpression(pattern: "\(quoted)|\(comment)")
        let whole = NSRange(startIndex..., in: self)
        let tokens = expression?.matches(in: self, range: whole) ?? []
        return tokens.compactMap { token in
            guard let range = Range(token.range, in: self) else { return nil }
            let text = self[range]
            return text.hasPrefix("--") || text.hasPrefix("/*") ? text : nil
        }
    }
}

extension Substring {
    /// This and what is before it in its line, without a byte order mark.
    var withLineBefore: Substring {
        let before = base[..<startIndex]
        let lineEnd = before.lastIndex(where: \.isNewline)
        let start = lineEnd.map(before.index(after:)) ?? before.startIndex
        return base[start..<endIndex].drop { $0 == "\u{FEFF}" }
    }

    /// The number of the line in which it begins, from 1.
    var lineNumber: Int {
        base.utf8[..<startIndex].filter { $0 == "\n" }.count + 1
    }
}
