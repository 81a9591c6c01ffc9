/// Whether a queue, a pool or a database lets accesses begin.
enum Availability {
    case open
    /// Until it is resumed.
    case suspended
    /// Forever.
    case closed

    /// Suspends or closes. What is closed stays closed.
    mutating func stop(_ newValue: Availability) {
        if self != .closed {
            self = newValue
        }
    }

    /// Ends a suspension.
    mutating func resume() {
        if self == .suspended {
            self = .open
        }
    }

    /// Throws unless accesses may begin.
    ///
    /// - Parameter label: The database's name for the error.
    func check(_ label: String) throws {
        if self != .open {
            throw AccessError.unavailable(self, label: label)
        }
    }
}
