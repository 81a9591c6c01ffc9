/// Where a statement's columns, or its parameters, were last found by name.
///
/// Rows are mostly read in the same order. So the nth lookup in a row is first compared with the
/// nth lookup in the previous row: one comparison instead of a search.
struct ColumnLookups {
    private struct Lookup {
        /// Keeps the text alive, so that no other text can have its bits.
        var name: String
        var bits: StringBits
        var index: Int
    }

    private static let capacity = 64

    private var memory: UnsafeMutablePointer<Lookup>?
    private var count = 0
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
        guard current < count, let lookup = memory.map({ $0 + current }) else { return nil }
        // A literal has the same bits each time.
        if lookup.pointee.bits == StringBits(name) {
            return lookup.pointee.index
        }
        return Self.hasSameBytes(lookup, as: name) ? lookup.pointee.index : nil
    }

    @inline(never) private static func hasSameBytes(
        _ lookup: UnsafeMutablePointer<Lookup>,
        as name: String
    ) -> Bool {
        lookup.pointee.name.hasSameBytes(as: name)
    }

    /// Remembers the index of the column that was looked up last. A lookup that found no column
    /// doesn't count.
    mutating func remember(_ name: String, at index: Int?) {
        let last = position - 1
        guard let index else {
            position = last
            return
        }
        guard last <= count, last < Self.capacity else { return }
        let start = memory ?? .allocate(capacity: Self.capacity)
        memory = start

        let lookup = Lookup(name: name, bits: StringBits(name), index: index)
        if last < count {
            start[last] = lookup
        } else {
            (start + last).initialize(to: lookup)
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
