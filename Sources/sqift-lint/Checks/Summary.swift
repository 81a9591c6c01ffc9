/// How many calls were looked at.
struct Summary: CustomStringConvertible {
    private var counts: [Report.Extent: Int] = [:]
    private var reasons: [String: Int] = [:]

    mutating func add(_ extent: Report.Extent, _ reason: String) {
        counts[extent, default: 0] += 1
        if !reason.isEmpty {
            reasons[reason, default: 0] += 1
        }
    }

    /// `checked 61 statements, 7 in part, 3 not (an attached database 2, …)`
    var description: String {
        let checked = "checked \((counts[.whole] ?? 0).counted("statement"))"
        guard !reasons.isEmpty else { return checked }
        let list = reasons.sorted {
            ($1.value, $0.key) < ($0.value, $1.key)
        }
        let details = list.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let others = "\(counts[.part] ?? 0) in part, \(counts[.none] ?? 0) not"
        return "\(checked), \(others) (\(details))"
    }
}

extension Int {
    /// `1 value` or `3 values`
    func counted(_ noun: String) -> String {
        "\(self) \(noun)\(self == 1 ? "" : "s")"
    }
}
