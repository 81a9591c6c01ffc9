/// A result's column names, and where each was last asked for.
///
/// Rows are mostly read in the same order, so the nth lookup in a row is first compared with what the nth lookup in the
/// row before it asked for: one string comparison instead of a search.
final class ColumnNames {
    private struct Lookup {
        var name: String
        var index: Int
    }

    let all: [String]
    @exclusivity(unchecked) private var lookups: [Lookup] = []
    private static let longestMemory = 64

    init(_ names: [String]) {
        all = names
    }

    /// The index of the leftmost column with that name, ASCII letters in either case.
    ///
    /// - Parameter position: How many lookups there were in this row; counted up.
    func index(of name: String, position: inout Int) -> Int? {
        let place = position
        position = place &+ 1
        if place < lookups.count {
            let known = lookups[place]
            // Remembered names are ASCII, so with equal lengths equal strings have equal bytes.
            if known.name == name, known.name.utf8.count == name.utf8.count { return known.index }
        }
        return search(name, place)
    }

    private func search(_ name: String, _ place: Int) -> Int? {
        guard let index = index(of: name) else { return nil }
        if name.utf8.allSatisfy({ $0 < 128 }) {
            if place < lookups.count {
                lookups[place] = Lookup(name: name, index: index)
            } else if place == lookups.count, place < ColumnNames.longestMemory {
                lookups.append(Lookup(name: name, index: index))
            }
        }
        return index
    }

    /// The same without the memory.
    func index(of name: String) -> Int? {
        all.firstIndex { $0.equalsIgnoringASCIICase(name) }
    }
}

extension String {
    /// Equal as SQLite compares names: byte by byte, ASCII letters in either case.
    func equalsIgnoringASCIICase(_ other: String) -> Bool {
        func lowercased(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 32 : byte }
        return utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { lowercased($0) == lowercased($1) }
    }
}
