/// A result's column names.
final class ColumnNames {
    let all: [String]

    init(_ names: [String]) {
        all = names
    }

    /// The index of the leftmost column with that name, ASCII letters in either case.
    func index(of name: String) -> Int? {
        all.firstIndex { $0.equalsIgnoringASCIICase(name) }
    }
}
