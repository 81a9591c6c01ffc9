/// A moment at which the power fails, and what is left then.
struct PowerPoint: CustomStringConvertible {
    let scenario: String
    let order: FolderOrder
    /// After how many changes.
    let count: Int
    let cut: PowerCut
    /// Which cut of its kind.
    let number: Int

    /// As it is printed: `SCENARIO/ORDER/COUNT/CUT/NUMBER`.
    var description: String { "\(scenario)/\(order)/\(count)/\(cut)/\(number)" }

    init(scenario: String, order: FolderOrder, count: Int, cut: PowerCut, number: Int) {
        self.scenario = scenario
        self.order = order
        self.count = count
        self.cut = cut
        self.number = number
    }

    /// - Parameter text: As `description`.
    init?(_ text: String) {
        let parts = text.split(separator: "/").map(String.init)
        guard parts.count == 5, let order = FolderOrder(rawValue: parts[1]),
            let count = Int(parts[2]), count >= 0, let cut = PowerCut(rawValue: parts[3]),
            let number = Int(parts[4])
        else { return nil }
        self.init(scenario: parts[0], order: order, count: count, cut: cut, number: number)
    }
}
