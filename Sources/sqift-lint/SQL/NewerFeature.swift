/// SQL that older versions of SQLite don't have. <https://sqlite.org/changes.html>
struct NewerFeature {
    /// Two words that stand for it: `right join`, `->`, or `unhex(` for a function.
    let name: String
    /// The version's second number: 39 of 3.39.
    let minor: Int
    let start: Int

    /// Whether it is a function, which the grammar doesn't depend on.
    var isFunction: Bool { name.hasSuffix("(") }

    var description: String {
        "\(isFunction ? "\(name))" : name.uppercased()) needs SQLite 3.\(minor)"
    }

    private static let minors = [
        "drop column": 35,
        ") strict": 37,
        ", strict": 37,
        "->": 38,
        "right join": 39,
        "full join": 39,
        "right outer": 39,
        "full outer": 39,
        "is distinct": 39,
        "not distinct": 39,
        "unixepoch(": 38,
        "format(": 38,
        "unhex(": 41,
        "octet_length(": 43,
        "timediff(": 43,
        "concat(": 44,
        "concat_ws(": 44,
        "string_agg(": 44,
        "jsonb(": 45,
        "jsonb_array(": 45,
        "jsonb_object(": 45,
        "jsonb_set(": 45,
        "jsonb_extract(": 45,
        "unistr(": 50,
        "if(": 48,
        "median(": 51,
        "percentile(": 51,
    ]

    /// Those that a version doesn't have, and that the sources don't register.
    static func all(
        in words: [SQLWord],
        after minor: Int,
        _ registered: RegisteredNames
    ) -> [NewerFeature] {
        zip(words, words.dropFirst()).compactMap { first, next in
            let gap = next.kind == .other ? "" : " "
            let name = "\(first.text)\(gap)\(next.text)"
            guard let since = minors[name],
                since > minor,
                registered.functions[first.text] == nil
            else { return nil }
            let own = name.drop { "), ".contains($0) }
            return NewerFeature(name: String(own), minor: since, start: first.range.lowerBound)
        }
    }
}
