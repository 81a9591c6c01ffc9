/// Makes rows in which every pair of values occurs that may occur.
///
/// It is greedy: each new row is the best of some that chance proposes, and each proposal takes,
/// property by property, the value that covers most of the pairs that are left.
struct CoveringArray {
    /// How many values each property has.
    private let counts: [Int]
    private let offsets: [Int]
    private let size: Int
    /// For each pair of values, by `index`.
    private var isForbidden: [Bool]
    private var isOpen: [Bool]
    private var generator = SeededGenerator(state: 27)
    private(set) var rows: [[Int]] = []
    /// The pairs that no row could have, because of what else is forbidden.
    private(set) var uncovered: [(PropertyValue, PropertyValue)] = []

    /// - Parameter forbidden: The pairs that must not occur.
    init(counts: [Int], forbidden: [(PropertyValue, PropertyValue)]) {
        self.counts = counts
        var offset = 0
        offsets = counts.map { count in
            defer { offset += count }
            return offset
        }
        size = offset
        isForbidden = Array(repeating: false, count: size * size)
        isOpen = isForbidden
        for (one, other) in forbidden {
            mark(&isForbidden, one, other, true)
        }
        for (one, other) in allPairs where !isForbidden[index(one, other)] {
            mark(&isOpen, one, other, true)
        }
        makeRows()
    }

    private func index(_ one: PropertyValue, _ other: PropertyValue) -> Int {
        (offsets[one.property] + one.number) * size + offsets[other.property] + other.number
    }

    private func mark(
        _ table: inout [Bool],
        _ one: PropertyValue,
        _ other: PropertyValue,
        _ value: Bool
    ) {
        table[index(one, other)] = value
        table[index(other, one)] = value
    }

    private var allPairs: [(PropertyValue, PropertyValue)] {
        let values = counts.enumerated().flatMap { property, count in
            (0..<count).map { PropertyValue(property: property, number: $0) }
        }
        return values.flatMap { one in
            values.filter { $0.property > one.property }.map { (one, $0) }
        }
    }

    private mutating func makeRows() {
        for (one, other) in allPairs {
            while isOpen[index(one, other)] {
                let proposals = (0..<40).compactMap { _ in propose(with: [one, other]) }
                guard let best = proposals.max(by: { $0.gain < $1.gain }) else {
                    uncovered.append((one, other))
                    break
                }
                add(best.values)
            }
        }
    }

    /// Completes a row at random, or returns nil where it has come to a dead end.
    private mutating func propose(
        with start: [PropertyValue]
    ) -> (values: [PropertyValue], gain: Int)? {
        var values = start
        var gain = 1
        let others = counts.indices.filter { property in
            !start.contains { $0.property == property }
        }
        for property in others.shuffled(using: &generator) {
            var best: (value: PropertyValue, gain: Int)?
            for number in (0..<counts[property]).shuffled(using: &generator) {
                let value = PropertyValue(property: property, number: number)
                guard !values.contains(where: { isForbidden[index($0, value)] }) else { continue }
                let gain = values.count { isOpen[index($0, value)] }
                if gain > best?.gain ?? -1 {
                    best = (value, gain)
                }
            }
            guard let best else { return nil }
            values.append(best.value)
            gain += best.gain
        }
        return (values, gain)
    }

    private mutating func add(_ values: [PropertyValue]) {
        for one in values {
            for other in values where one.property < other.property {
                mark(&isOpen, one, other, false)
            }
        }
        rows.append(values.sorted { $0.property < $1.property }.map(\.number))
    }
}
