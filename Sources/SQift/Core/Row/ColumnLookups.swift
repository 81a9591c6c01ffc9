/// Where a statement's columns, or its parameters, were last found by name.
///
/// Rows are mostly read in the same order, which is why the nth lookup in a row is first compared
/// with the nth lookup in the previous row: one comparison instead of a search.
struct ColumnLookups {
    private static let capacity = 64

    private var lookups: [(name: String, index: Int)] = []
    /// How many names the current row has been asked for.
    private var position = 0
    private var generation = 0

    /// The index of the column, if the previous row was asked for the same name at the same
    /// position.
    ///
    /// - Parameter generation: The row's `generation`.
    @inline(__always) mutating func next(_ name: String, generation: Int) -> Int? {
        if generation != self.generation {
            self.generation = generation
            position = 0
        }
        let current = position
        position &+= 1
        guard current < lookups.count else { return nil }
        return lookups[current].name.hasSameBytes(as: name) ? lookups[current].index : nil
    }

    /// Remembers the index of the column that was looked up last. A lookup that found no column
    /// doesn't count.
    mutating func remember(_ name: String, at index: Int?) {
        let last = position - 1
        guard let index else {
            position = last
            return
        }
        guard last < Self.capacity else { return }

        if last < lookups.count {
            lookups[last] = (name, index)
        } else {
            lookups.append((name, index))
        }
    }
}
