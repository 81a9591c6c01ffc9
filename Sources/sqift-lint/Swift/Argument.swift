/// An argument of a call, a parameter, an element of an array, an entry of a dictionary, or a type.
struct Argument {
    /// The last name before the colon: `row` of `from row: Row`.
    let label: String?
    /// Its first token.
    let start: Cursor
    /// The token after it.
    let end: Cursor

    init(_ first: Cursor, _ end: Cursor) {
        let colon = first + (first[1] == ":" ? 1 : 2)
        let hasLabel =
            first.isName
            && (colon - 1).isName
            && colon == ":"
            && colon.index < end.index
        label = hasLabel ? colon[-1] : nil
        start = hasLabel ? colon + 1 : first
        self.end = end
    }

    /// The name of a parameter.
    var name: Cursor {
        label == nil ? start : start - 2
    }
}

extension Array where Element == Argument {
    /// The first argument with a label.
    subscript(_ label: String) -> Argument? {
        first { $0.label == label }
    }
}
