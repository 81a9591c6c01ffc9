extension String {
    /// The name of a list that this one is probably meant to be.
    func nearest(in names: [String]) -> String? {
        let near = names.filter(isNear)
        return near.min {
            (changes(to: $0), $0) < (changes(to: $1), $1)
        }
    }

    /// Whether it is probably misspelt. A letter that is replaced, or that stands elsewhere, is two
    /// changes.
    func isNear(_ other: String) -> Bool {
        let limit = Swift.min(count / 3, 3) + 1
        return limit > 1 && (1...limit).contains(changes(to: other))
    }

    /// How many letters are put in or taken out. They count in either case.
    private func changes(to other: String) -> Int {
        lowercased().utf8.difference(from: other.lowercased().utf8).count
    }
}
