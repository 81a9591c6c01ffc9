import Foundation

extension StringProtocol {
    /// What follows the last dot: `Car` of `Garage.Car`.
    var lastPart: String {
        components(separatedBy: ".").last ?? ""
    }
}
