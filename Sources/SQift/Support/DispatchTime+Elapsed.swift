import Dispatch
import Foundation

extension DispatchTime {
    /// How many seconds ago it was, whatever becomes of the clock on the wall.
    var secondsAgo: TimeInterval {
        Double(DispatchTime.now().uptimeNanoseconds - uptimeNanoseconds) / 1e9
    }
}
