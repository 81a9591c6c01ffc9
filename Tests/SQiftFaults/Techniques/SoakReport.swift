import Foundation

/// What one process did in a soak.
struct SoakReport: Codable {
    /// How often each role has done its work.
    var done: [String: Int] = [:]
    /// How often each error came that may come.
    var errors: [String: Int] = [:]
    var problems: [String] = []
    /// How many transfers were committed.
    var writeCount = 0

    init() {}

    /// - Parameter line: As `line`.
    init?(_ line: String) {
        guard let report = try? JSONDecoder().decode(Self.self, from: Data(line.utf8)) else {
            return nil
        }
        self = report
    }

    /// For another process.
    var line: String {
        (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    var count: Int { done.values.reduce(0, +) }

    var summary: String {
        let errors = errors.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return (["\(writeCount) writes", "\(count) works"] + errors).joined(separator: " ")
    }

    /// The roles that didn't get to do anything.
    var idleRoles: [String] {
        Soak.Role.allCases.map(\.rawValue).filter { done[$0, default: 0] == 0 }
            .map { "\($0) did nothing" }
    }

    static func + (one: SoakReport, other: SoakReport) -> SoakReport {
        var sum = one
        sum.done.merge(other.done, uniquingKeysWith: +)
        sum.errors.merge(other.errors, uniquingKeysWith: +)
        sum.problems += other.problems
        sum.writeCount += other.writeCount
        return sum
    }
}
