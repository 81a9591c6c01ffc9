extension String {
    /// The name of a list that this one is probably meant to be. Letters count in either case.
    func nearest(in names: some Collection<String>) -> String? {
        let own = lowercased()[...]
        let sorted = names.sorted().filter {
            $0.lowercased() != own
        }
        let limits = 0...min(count / 3, 3)
        return limits.lazy.compactMap { limit in
            sorted.first {
                own.isNear($0.lowercased()[...], limit)
            }
        }.first
    }
}

extension Substring {
    /// Whether at most so many letters must be changed, added, left out, or exchanged with their
    /// neighbour, to get another text.
    func isNear(_ other: Substring, _ limit: Int) -> Bool {
        guard let first, let otherFirst = other.first, limit >= 0 else {
            return count + other.count <= limit
        }
        let rest = dropFirst()
        let otherRest = other.dropFirst()
        if first == otherFirst {
            return rest.isNear(otherRest, limit)
        }
        let isExchanged = rest.first == otherFirst && otherRest.first == first
        return rest.isNear(otherRest, limit - 1)
            || rest.isNear(other, limit - 1)
            || isNear(otherRest, limit - 1)
            || isExchanged
                && rest.dropFirst().isNear(otherRest.dropFirst(), limit - 1)
    }
}
