import Dispatch
import Foundation

extension DispatchTime {
    /// How many seconds ago it was. Changes of the system's clock don't matter.
    var secondsAgo: TimeInterval {
        Double(DispatchTime.now().uptimeNanoseconds - uptimeNanoseconds) / 1e9
    }
}
