extension StringProtocol {
    /// Without spaces at both ends.
    var trimmed: String {
        let start = drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }

    /// What follows the last dot: `Car` of `Garage.Car`.
    var lastPart: String {
        split { $0 == "." }.last.map { String($0) } ?? String(self)
    }
}
