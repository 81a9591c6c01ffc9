extension String {
    /// Whether a part of the name is known only when the program runs.
    var isComputed: Bool { contains("\u{FFFD}") }

    /// Whether this name, which may be computed, is another one.
    func mayBe(_ name: String) -> Bool {
        isComputed ? name.hasPrefix(prefix { $0 != "\u{FFFD}" }) : self == name
    }

    /// The name of a list that this one is probably meant to be, or the first of several.
    func nearest(in names: [String]) -> String? {
        names.filter(isNear).min {
            changes(to: $0) < changes(to: $1)
        }
    }

    /// Whether it is probably misspelt. A letter that is replaced, or that stands elsewhere, is two
    /// changes.
    func isNear(_ other: String) -> Bool {
        let limit = Swift.min(count / 3, 3) + 1
        return limit > 1 && (1...limit).contains(changes(to: other))
    }

    /// How many letters are put in or taken out. The case of letters counts.
    private func changes(to other: String) -> Int {
        lowercased().utf8.difference(from: other.lowercased().utf8).count
    }
}
