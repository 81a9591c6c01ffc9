/// SQL that older versions of SQLite don't have.
///
/// SQLite: [Release History Of SQLite](https://sqlite.org/changes.html)
struct NewerFeature {
    /// Two words that stand for it: `right join`, `->`, or `unhex(` for a function.
    let name: Substring
    /// The version's second number: 39 of 3.39.
    let minor: Int
    let start: Int

    /// Whether it is a function, which the grammar doesn't depend on.
    var isFunction: Bool { name.hasSuffix("(") }

    /// Whether an older SQLite fails so for lack of it.
    func mayCause(_ failure: SQLFailure) -> Bool {
        switch failure.kind {
        case .function, .table, .module: isFunction && failure.name == name.dropLast()
        case .syntax, .statement, .other: !isFunction
        default: false
        }
    }

    var description: String {
        "\(isFunction ? "\(name))" : name.uppercased()) needs SQLite 3.\(minor)"
    }

    /// By version, divided by bars.
    private static let versions = [
        "35|drop column",
        "37|) strict|, strict",
        "38|->|unixepoch(|format(",
        "39|right join|full join|right outer|full outer|is distinct|not distinct",
        "41|unhex(",
        "42|json_error_position(",
        "43|octet_length(|timediff(",
        "44|concat(|concat_ws(|string_agg(",
        "45|jsonb(|jsonb_array(|jsonb_object(|jsonb_set(|jsonb_extract(",
        "46|json_pretty(",
        "48|if(",
        "50|unistr(",
        "51|median(|percentile(",
    ].map { $0.split(separator: "|") }

    /// Those that a version doesn't have, and that the sources don't register.
    static func all(
        in words: [SQLWord],
        after minor: Int,
        _ registered: RegisteredNames
    ) -> [NewerFeature] {
        zip(words, words.dropFirst()).compactMap { first, next in
            let gap = next.name == nil ? "" : " "
            let name = "\(first.text)\(gap)\(next.text)"
            let version = versions.first { $0.contains(name[...]) }
            guard let since = version.flatMap({ Int($0[0]) }),
                since > minor,
                registered.functions[first.text] == nil
            else { return nil }
            let own = name.drop { "), ".contains($0) }
            return NewerFeature(name: own, minor: since, start: first.start)
        }
    }
}
