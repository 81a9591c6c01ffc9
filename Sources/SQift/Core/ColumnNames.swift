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

/// Where a statement's columns were last found by name.
///
/// Rows are mostly read in the same order, so the nth look-up in a row is first compared with what
/// the nth look-up in the row before it asked for: one string comparison instead of a search.
struct ColumnLookups {
    private struct Lookup {
        var name: String
        var index: Int
    }

    private static let capacity = 64
    private var memory: UnsafeMutablePointer<Lookup>?
    private var count = 0
    private var position = 0
    private var row = 0

    /// The index of the column if it is asked for at the same place as in the row before, which
    /// `generation` tells apart.
    @inline(__always) mutating func next(_ name: String, _ generation: Int) -> Int? {
        if generation != row {
            row = generation
            position = 0
        }
        let place = position
        position &+= 1
        guard place < count, let memory else { return nil }
        // Remembered names are ASCII, so equal strings of equal lengths have equal bytes.
        guard memory[place].name == name, memory[place].name.utf8.count == name.utf8.count else {
            return nil
        }
        return memory[place].index
    }

    /// Remembers where the last look-up was found.
    mutating func remember(_ name: String, _ index: Int) {
        let place = position - 1
        guard place <= count, place < Self.capacity, name.utf8.allSatisfy({ $0 < 128 }) else {
            return
        }
        let start = memory ?? .allocate(capacity: Self.capacity)
        memory = start
        if place < count {
            start[place] = Lookup(name: name, index: index)
        } else {
            (start + place).initialize(to: Lookup(name: name, index: index))
            count += 1
        }
    }

    /// Forgets everything: the columns have changed, or the statement ends.
    mutating func removeAll() {
        memory?.deinitialize(count: count)
        memory?.deallocate()
        self = ColumnLookups()
    }
}
