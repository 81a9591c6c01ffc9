import SQift

/// Interrupts what runs for too long on a connection, which keeps it.
final class StepLimit {
    private let thousands: Int
    private var count = 0

    /// Whether something was interrupted since the last `restart()`.
    var wasReached: Bool { count > thousands }

    /// - Parameter thousands: How many thousand instructions of SQLite's virtual machine may run.
    init(on connection: Connection, thousands: Int = 50) {
        self.thousands = thousands
        connection.progressHandler(every: 1000) {
            self.count += 1
            return self.count > thousands
        }
    }

    func restart() {
        count = 0
    }
}

extension Connection {
    /// Refuses what reaches beyond the database: files, and settings of the whole process. Limits
    /// what a statement can take.
    func confine() throws {
        try setLimit(.length, to: 100_000)
        try setLimit(.likePatternLength, to: 100)
        try setLimit(.exprDepth, to: 100)
        try setLimit(.triggerDepth, to: 10)
        let settings = [
            "hard_heap_limit", "soft_heap_limit", "temp_store_directory", "data_store_directory",
        ]
        try authorizer { action, first, _, _, _ in
            switch action {
            case .attach:
                // VACUUM attaches a temporary database.
                return ["", ":memory:"].contains(first) ? .ok : .deny
            case .pragma:
                let name = first?.lowercased() ?? ""
                return settings.contains(name) ? .deny : .ok
            default:
                return .ok
            }
        }
    }
}
