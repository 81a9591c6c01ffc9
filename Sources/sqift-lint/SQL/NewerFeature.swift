/// SQL that older versions of SQLite don't have. <https://sqlite.org/changes.html>
struct NewerFeature {
    let name: String
    /// Whether it is a function, which the grammar doesn't depend on.
    var isFunction = false
    /// As `sqlite3_libversion_number`: 3037000.
    let version: Int
    let start: Int

    var description: String {
        "\(name)\(isFunction ? "()" : "") needs SQLite 3.\(version / 1000 % 1000)"
    }

    private static let functions = [
        "unixepoch": 38, "format": 38, "unhex": 41, "octet_length": 43, "timediff": 43,
        "concat": 44, "concat_ws": 44, "string_agg": 44, "jsonb": 45, "jsonb_array": 45,
        "jsonb_object": 45, "jsonb_set": 45, "jsonb_extract": 45, "unistr": 50, "if": 48,
        "median": 51, "percentile": 51,
    ]

    /// The first that a version doesn't have.
    static func first(
        in words: [SQLWord],
        after version: Int,
        where fits: (NewerFeature) -> Bool
    ) -> NewerFeature? {
        words.indices.lazy.compactMap {
            feature(at: $0, in: words)
        }
        .first { $0.version > version && fits($0) }
    }

    private static func feature(at index: Int, in words: [SQLWord]) -> NewerFeature? {
        let first = words[index]
        let next =
            index + 1 < words.count
            ? words[index + 1]
            : first
        let last = index > 0 ? words[index - 1].text : ""
        func since(
            _ minor: Int,
            _ name: String,
            isFunction: Bool = false
        ) -> NewerFeature {
            NewerFeature(
                name: name,
                isFunction: isFunction,
                version: 3_000_000 + minor * 1000,
                start: first.range.lowerBound
            )
        }
        switch (first.text, next.text) {
        case ("-", ">") where next.range.lowerBound == first.range.upperBound:
            return since(38, "the operator ->")
        case ("right", "join"), ("full", "join"), ("right", "outer"), ("full", "outer"):
            return since(39, "\(first.text.uppercased()) JOIN")
        case ("strict", _) where last == ")" || last == ",":
            return since(37, "STRICT")
        case ("distinct", "from")
        where last == "is"
            || last == "not":
            return since(39, "IS DISTINCT FROM")
        case ("drop", "column"): return since(35, "DROP COLUMN")
        case (let name, "(") where first.kind == .plain:
            return functions[name].map {
                since($0, name, isFunction: true)
            }
        default: return nil
        }
    }
}
