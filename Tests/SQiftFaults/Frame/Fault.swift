import CSQiftFaults

/// A kind of call that can fail.
struct FaultKind {
    let name: String
    let bits: UInt32
    var action: Interruption.Action?
    /// Whether it may also last from its first call on.
    var mayLast = true
}

/// One fault: the n-th call of a kind fails, once or with all later ones.
struct Fault: CustomStringConvertible {
    let kind: FaultKind
    var isForever: Bool
    var call: Int

    /// As it stands in a point: `sync/once/3`.
    var description: String { "\(kind.name)/\(isForever ? "ever" : "once")/\(call)" }

    init(_ kind: FaultKind, isForever: Bool = false, call: Int) {
        self.kind = kind
        self.isForever = isForever
        self.call = call
    }

    /// - Parameter text: As `description`.
    init?(_ text: Substring, among kinds: [FaultKind]) {
        let parts = text.split(separator: "/")
        guard parts.count == 3, let call = Int(parts[2]), ["once", "ever"].contains(parts[1]),
            let kind = kinds.first(where: { $0.name == parts[0] })
        else { return nil }
        self.init(kind, isForever: parts[1] == "ever", call: call)
    }

    /// Begins to count calls, until `end()`.
    func begin() {
        sqift_faults_arm(kind.bits, call, isForever ? 1 : 0)
    }

    /// Lets everything succeed again. Returns how many calls there were, and how many failed.
    static func end() -> (calls: Int, failures: Int) {
        sqift_faults_disarm()
        return (sqift_faults_calls(), sqift_faults_failures())
    }
}
