// A result's column names.
extension Array<String> {
    /// The index of the leftmost column with that name, case-insensitively for ASCII letters.
    func index(ofColumn name: String) -> Int? {
        firstIndex { $0.equalsIgnoringASCIICase(name) }
    }
}
