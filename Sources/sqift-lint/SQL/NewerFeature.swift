/// SQL that older versions of SQLite don't have. <https://sqlite.org/changes.html>
struct NewerFeature {
    let name: String
    /// As `sqlite3_libversion_number`: 3037000.
    let version: Int
    let start: Int

    /// `3.37`
    var versionText: String { "3.\(version / 1000 % 1000)" }

    private static let functions = [
        "unixepoch": 38, "format": 38, "unhex": 41, "octet_length": 43, "timediff": 43,
        "concat": 44, "concat_ws": 44, "string_agg": 44, "jsonb": 45, "jsonb_array": 45,
        "jsonb_object": 45, "jsonb_set": 45, "jsonb_extract": 45, "unistr": 50, "if": 48,
        "median": 51, "percentile": 51,
    ]

    /// The first that a version doesn't have.
    static func first(in sql: [UInt8], after version: Int) -> NewerFeature? {
        let words = SQLWord.words(sql)
        return words.indices.lazy.compactMap { feature(at: $0, in: words) }
            .first { $0.version > version }
    }

    private static func feature(at index: Int, in words: [SQLWord]) -> NewerFeature? {
        let word = words[index]
        let next = index + 1 < words.count ? words[index + 1] : word
        let last = index > 0 ? words[index - 1].text : ""
        func since(_ minor: Int, _ name: String) -> NewerFeature {
            NewerFeature(name: name, version: 3_000_000 + minor * 1000, start: word.start)
        }
        switch (word.text, next.text) {
        case ("-", ">") where next.start == word.end: return since(38, "the operator ->")
        case ("right", "join"), ("full", "join"), ("right", "outer"), ("full", "outer"):
            return since(39, "\(word.text.uppercased()) JOIN")
        case ("strict", _) where last == ")" || last == ",": return since(37, "STRICT")
        case ("distinct", "from") where last == "is" || last == "not":
            return since(39, "IS DISTINCT FROM")
        case ("drop", "column"): return since(35, "DROP COLUMN")
        case (let name, "(") where word.kind == .word:
            return functions[name].map { since($0, "\(name)()") }
        default: return nil
        }
    }
}
