/// SQL that older versions of SQLite don't have.
///
/// SQLite: [Release History Of SQLite](https://sqlite.org/changes.html)
struct NewerFeature {
    /// What messages call it: `RIGHT JOIN`, or `unhex()` for a function.
    let name: String
    /// The version's second number: 39 of 3.39.
    let minor: Int
    let start: Int
    /// The function that it is, or whose arguments it is about. The grammar doesn't depend on it.
    var function: String?

    var isFunction: Bool { function != nil }

    var description: String { "\(name) needs SQLite 3.\(minor)" }

    /// Whether an older SQLite fails so for lack of it.
    func mayCause(_ failure: SQLFailure) -> Bool {
        switch failure.kind {
        case .function, .table, .arguments: function == failure.name
        case .module: function ?? failure.name == failure.name
        case .syntax, .statement, .other: !isFunction
        default: false
        }
    }

    // MARK: What came with which version

    /// Functions, those included that SQLite has only if it is compiled with them.
    private static let functions = minors([
        38: "format subtype unixepoch",
        41: "unhex",
        42: "json_error_position",
        43: "octet_length timediff",
        44: "concat concat_ws string_agg",
        45: """
        jsonb jsonb_array jsonb_extract jsonb_group_array jsonb_group_object jsonb_insert
        jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set
        """,
        46: "json_pretty",
        47: "fts5_get_locale fts5_locale",
        48: "fts5_insttoken if",
        50: "unistr unistr_quote",
        51: "carray median percentile percentile_cont percentile_disc",
        53: "json_array_insert jsonb_array_insert",
    ])

    /// Functions that are tables, which need no arguments.
    private static let tables = minors([37: "pragma_table_list", 51: "jsonb_each jsonb_tree"])

    /// Options of a table for full-text search.
    private static let searchOptions = minors([
        43: "contentless_delete",
        45: "tokendata",
        47: "contentless_unindexed locale",
    ])

    /// Words that follow each other. Those with a question mark may be left out.
    private static let grammar = [
        ("STRICT", 37, ") strict"),
        ("STRICT", 37, "without rowid , strict"),
        ("->>", 38, "- > >"),
        ("->", 38, "- >"),
        ("RIGHT JOIN", 39, "right outer? join"),
        ("FULL JOIN", 39, "full outer? join"),
        ("IS DISTINCT FROM", 39, "is not? distinct from"),
        ("SET NOT NULL", 53, "set not null"),
        ("DROP NOT NULL", 53, "drop not null"),
        ("ADD CHECK", 53, "add check"),
        ("ADD CONSTRAINT", 53, "add constraint"),
        ("DROP CONSTRAINT", 53, "drop constraint"),
        ("REINDEX EXPRESSIONS", 53, "reindex expressions"),
    ].map { (name: $0, minor: $1, words: $2.split(separator: " ")) }

    /// Numbers of arguments that an older SQLite has the function without.
    private static let argumentCounts: [(function: String, counts: ClosedRange<Int>, minor: Int)] =
        [
            ("json_valid", 2...2, 45),
            ("iif", 2...2, 48),
            ("iif", 4...1000, 49),
            ("if", 4...1000, 49),
        ]

    /// The versions by the names that blanks divide.
    private static func minors(_ names: [Int: String]) -> [String: Int] {
        let pairs = names.flatMap { minor, names in names.words.map { ($0, minor) } }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    // MARK: Finding it

    /// Those that a version doesn't have, and that the sources don't register or make, in the order
    /// of the words.
    static func all(
        in words: [SQLWord],
        after minor: Int,
        _ registered: RegisteredNames
    ) -> [NewerFeature] {
        let grammar = words.indices.compactMap { NewerFeature(at: words[$0...]) }
        return (grammar + words.calls.flatMap(all))
            .filter { feature in
                guard feature.minor > minor else { return false }
                guard let name = feature.function else { return true }
                return registered.functions[name] == nil
                    && !registered.tables.contains(name)
            }
            .sorted { $0.start < $1.start }
    }

    /// What the SQLite in use lacks if a statement fails for it.
    static func cause(
        of failure: SQLFailure,
        in words: [SQLWord],
        _ registered: RegisteredNames
    ) -> NewerFeature? {
        all(in: words, after: ScratchDatabase.minor, registered).first { $0.mayCause(failure) }
    }

    /// What begins with the first of some words, if it has no parentheses.
    private init?(at words: ArraySlice<SQLWord>) {
        guard let first = words.first else { return nil }
        start = first.start
        if let since = NewerFeature.tables[first.text] {
            name = "\(first.text)()"
            minor = since
            function = first.text
        } else if first.text.first?.isNumber == true,
            first.text.contains("_")
        {
            name = first.text
            minor = 46
        } else if let entry = NewerFeature.grammar.first(where: { words.begin(with: $0.words) }) {
            name = entry.name
            minor = entry.minor
        } else {
            return nil
        }
    }

    private static func all(in call: Call) -> [NewerFeature] {
        let function = call.name.text
        let count = call.arguments.count
        func feature(_ name: String, _ minor: Int, of function: String? = nil) -> NewerFeature {
            NewerFeature(name: name, minor: minor, start: call.name.start, function: function)
        }
        var found = argumentCounts.filter { $0.function == function && $0.counts ~= count }
            .map {
                feature("\(function)() with \(count) arguments", $0.minor, of: function)
            }
        if let minor = functions[function] {
            found.insert(feature("\(function)()", minor, of: function), at: 0)
        }
        if call.isOrderedAggregate {
            found.append(feature("ORDER BY in \(function)()", 44))
        }
        // A name and a string were allowed before.
        if function == "raise",
            call.arguments.last?.contains(where: { $0.name == nil }) == true
        {
            found.append(feature("an expression in RAISE()", 47))
        }
        if function == "fts5" {
            found += call.arguments.filter { $0.dropFirst().first?.text == "=" }
                .compactMap {
                    let option = $0.verb
                    return searchOptions[option].map { feature("\(option) of FTS5", $0) }
                }
        }
        return found
    }
}

extension NewerFeature {
    fileprivate init(name: String, minor: Int, start: Int, function: String?) {
        self.name = name
        self.minor = minor
        self.start = start
        self.function = function
    }

    /// What stands in parentheses, without what stands in others in them.
    fileprivate struct Call {
        /// The word before them.
        let name: SQLWord
        var arguments: [[SQLWord]] = [[]]
        var isClosed = false

        /// Whether it has `ORDER BY`, and isn't a window or a query.
        var isOrderedAggregate: Bool {
            name.name != nil
                && !["as", "over"].contains(name.text)
                && !["select", "values", "with"].contains(arguments[0].verb)
                && isClosed
                && arguments.contains { argument in
                    zip(argument, argument.dropFirst()).contains {
                        $0.text == "order" && $1.text == "by"
                    }
                }
        }

        mutating func add(_ piece: SQLWord) {
            if piece.text == "," {
                arguments.append([])
            } else {
                arguments[arguments.count - 1].append(piece)
            }
        }
    }
}

extension ArraySlice where Element == SQLWord {
    fileprivate func begin(with texts: [Substring]) -> Bool {
        var rest = self
        return texts.allSatisfy { text in
            let isOptional = text.hasSuffix("?")
            let expected = isOptional ? text.dropLast() : text
            let isHere = rest.first.map { $0.text == expected } == true
            rest = rest.dropFirst(isHere ? 1 : 0)
            return isHere || isOptional
        }
    }
}

extension Array where Element == SQLWord {
    fileprivate var calls: [NewerFeature.Call] {
        var calls: [NewerFeature.Call] = []
        var open: [NewerFeature.Call] = []
        for (current, previous) in zip(self, prefix(1) + self) {
            if current.text == ")",
                var call = open.popLast()
            {
                call.isClosed = true
                calls.append(call)
            }
            if !open.isEmpty {
                open[open.count - 1].add(current)
            }
            if current.text == "(" {
                open.append(NewerFeature.Call(name: previous))
            }
        }
        // The end may be missing.
        return calls + open
    }
}
