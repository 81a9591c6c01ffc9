extension String {
    /// Whether a part of the name is known only when the program runs.
    var isComputed: Bool { unicodeScalars.contains("\u{FFFD}") }

    /// Whether this name, which may be computed, is another one.
    func mayBe(_ name: String) -> Bool {
        isComputed
            ? name.hasPrefix(prefix { $0 != "\u{FFFD}" })
            : self == name
    }

    /// The name of a list that this one, in lower case, is probably meant to be, or the first of
    /// several. A letter that is replaced, or that stands elsewhere, is two changes.
    func nearest(in names: [String]) -> String? {
        let limit = Swift.min(count / 3, 3) + 1
        return
            names
            .filter { limit > 1 && abs($0.utf8.count - utf8.count) <= limit }
            .map { (changes: utf8.difference(from: $0.lowercased().utf8).count, name: $0) }
            .filter { (1...limit).contains($0.changes) }
            .min { $0.changes < $1.changes }?
            .name
    }
}
