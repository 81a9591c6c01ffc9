/// An argument of a call, an element of an array, or an entry of a dictionary.
struct Argument {
    let label: String?
    /// Its first token.
    let start: Cursor
    /// The token after it.
    let end: Cursor

    init(_ first: Cursor, _ end: Cursor) {
        let hasLabel =
            end.index - first.index > 2
            && first.isName
            && first[1] == ":"
        label = hasLabel ? first.text : nil
        start = hasLabel ? first + 2 : first
        self.end = end
    }

    var tokens: [Cursor] {
        (start.index..<end.index).map {
            start.file[$0]
        }
    }
}
