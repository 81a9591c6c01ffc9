extension String {
    /// How many letters must be changed, added, left out, or exchanged with their neighbour, to get
    /// another word. Letters count in either case.
    func distance(to other: String) -> Int {
        let left = Array(lowercased().utf8)
        let right = Array(other.lowercased().utf8)
        if abs(left.count - right.count) > 3 {
            return .max
        }
        var previous: [Int] = []
        var current = Array(0...right.count)
        for row in left.indices {
            let older = previous
            previous = current
            current = [row + 1]
            for column in right.indices {
                let cost = left[row] == right[column] ? 0 : 1
                var best = min(
                    previous[column] + cost,
                    min(previous[column + 1], current[column]) + 1
                )
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    best = min(best, older[column - 1] + 1)
                }
                current.append(best)
            }
        }
        return current[right.count]
    }

    /// The name of a list that this one is probably meant to be.
    func nearest(in names: some Sequence<String>) -> String? {
        let limit = count / 3
        let near = names.map { (name: $0, distance: distance(to: $0)) }
        let best = near.filter { $0.distance > 0 && $0.distance <= limit }
        return best.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }
}
