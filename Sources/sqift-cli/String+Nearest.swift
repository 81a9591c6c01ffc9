extension String {
    /// Says which of these names it is probably meant to be, if it is like one of them.
    func suggestion(from names: [String]) -> String {
        let nearest =
            names
            .map { (changes: utf8.difference(from: $0.utf8).count, name: $0) }
            .filter { $0.changes <= ($0.name.utf8.count + 1) / 2 }
            .min { $0.changes < $1.changes }
        return nearest.map { "; did you mean \($0.name)?" } ?? ""
    }
}
