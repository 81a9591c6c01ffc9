import Foundation

extension StringProtocol {
    /// What blanks and line breaks divide.
    var words: Set<String> { Set(split { $0.isWhitespace }.map { String($0) }) }

    /// What follows the last dot: `Car` of `Garage.Car`.
    var lastPart: String {
        components(separatedBy: ".").last ?? ""
    }
}
