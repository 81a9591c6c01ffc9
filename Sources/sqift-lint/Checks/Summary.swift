/// How many calls were looked at.
struct Summary: CustomStringConvertible {
    private var checkedCount = 0
    private var partCount = 0
    private var skippedCount = 0
    private var reasons: [String: Int] = [:]

    mutating func add(_ verdict: Verdict) {
        switch verdict {
        case .checked: checkedCount += 1
        case .inPart(let reason):
            partCount += 1
            reasons[reason, default: 0] += 1
        case .skipped(let reason): skip(reason)
        }
    }

    mutating func skip(_ reason: String) {
        skippedCount += 1
        reasons[reason, default: 0] += 1
    }

    /// `checked 61 statements, 7 in part, 3 not (an attached database 2, …)`
    var description: String {
        let list = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let details = list.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let count = "checked \(checkedCount.counted("statement"))"
        guard !details.isEmpty else { return count }
        return "\(count), \(partCount) in part, \(skippedCount) not (\(details))"
    }
}
