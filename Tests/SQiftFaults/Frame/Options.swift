import Foundation

struct UsageError: Error {}

/// What the arguments ask for.
struct Options {
    static let usage = """
        usage: SQiftFaults [TECHNIQUE] [--only TEXT] [--seconds N] [--seed S] [--point P] [--long]

        Attacks the library with faults, and checks what is left after each. Without a technique it
        runs all of them. The exit status is 1 if anything failed.

          --only TEXT   only the scenarios and processes whose names contain this
          --seconds N   how long the soak lasts, 10 by default
          --seed S      where the samples begin and what the random numbers are; printed otherwise
          --point P     only this point, as a failure prints it
          --long        every point instead of samples, and as many rounds as a release needs

        techniques:
        \(listOfTechniques)
        """

    private static var listOfTechniques: String {
        allTechniques.map { "  \($0.name.padded(to: 13)) \($0.summary)" }.joined(separator: "\n")
    }

    var technique: String?
    var only = ""
    var seconds = 10.0
    var seed = UInt64.random(in: 1...999_999)
    var point: String?
    var isLong = false
    /// The folder to work in, if this is the process that runs a technique.
    var folder: String?

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value() throws -> String {
            guard let value = rest.popFirst() else { throw UsageError() }
            return value
        }
        func number<T: LosslessStringConvertible>() throws -> T {
            guard let number = T(try value()) else { throw UsageError() }
            return number
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--only": only = try value()
            case "--seconds": seconds = try number()
            case "--seed": seed = try number()
            case "--point": point = try value()
            case "--long": isLong = true
            case "--folder": folder = try value()
            case _ where technique == nil && allTechniques.contains { $0.name == argument }:
                technique = argument
            default: throw UsageError()
            }
        }
        guard seconds > 0, point == nil || technique != nil else { throw UsageError() }
    }

    /// Whether a scenario or a process of this name is to be run.
    func isMeant(_ name: String) -> Bool { only.isEmpty || name.contains(only) }

    /// The arguments for the process that runs one technique in a folder.
    func arguments(for technique: String, in folder: String) -> [String] {
        var arguments = [
            technique, "--only", only, "--seconds", "\(seconds)", "--seed", "\(seed)",
        ]
        if let point {
            arguments += ["--point", point]
        }
        if isLong {
            arguments.append("--long")
        }
        return arguments + ["--folder", folder]
    }
}

extension String {
    func padded(to count: Int) -> String {
        padding(toLength: max(count, self.count), withPad: " ", startingAt: 0)
    }
}
