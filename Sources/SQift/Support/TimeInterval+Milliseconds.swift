import Foundation

extension TimeInterval {
    /// Whole milliseconds, from 0 to SQLite's maximum of 24 days.
    var milliseconds: Int32 {
        self > 0 ? Int32(min((self * 1000).rounded(), Double(Int32.max))) : 0
    }
}
