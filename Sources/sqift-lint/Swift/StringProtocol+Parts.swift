import Foundation

extension StringProtocol {
    /// What blanks divide.
    var words: Set<String> { Set(components(separatedBy: " ")) }

    /// What follows the last dot: `Car` of `Garage.Car`.
    var lastPart: String {
        components(separatedBy: ".").last ?? ""
    }
}
