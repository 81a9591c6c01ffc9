extension Int {
    /// The number with its noun in the singular or the plural: `1 row`, `2 rows`.
    func counted(_ noun: String) -> String {
        self == 1 ? "1 \(noun)" : "\(self) \(noun)s"
    }
}
