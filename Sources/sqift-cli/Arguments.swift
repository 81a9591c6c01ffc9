/// What is wrong with the way the tool was called.
struct UsageError: Error { let message: String }

/// A command's name, its operands and its options.
struct Arguments {
    let name: String
    private(set) var operands: [String] = []
    private(set) var options: [String: String] = [:]

    /// The options of each command, and whether a value follows.
    private static let known: [String: [String: Bool]] = [
        "migrate": ["--to": true, "--dry-run": false, "--backup": true],
        "backup": ["--pages": true, "--rate": true],
    ]

    init(_ arguments: [String]) throws {
        name = ["-h", "--help"].contains(arguments.first) ? "help" : arguments.first ?? ""
        var rest = arguments.dropFirst()
        var onlyOperands = false
        while let argument = rest.popFirst() {
            if onlyOperands || !argument.hasPrefix("-") {
                operands.append(argument)
            } else if argument == "--" {
                onlyOperands = true
            } else if let takesValue = Self.known[name]?[argument],
                let value = takesValue ? rest.popFirst() : ""
            {
                options[argument] = value
            } else {
                throw UsageError(
                    message: "\(name): unknown option, or one without its value: \(argument)\n\n"
                )
            }
        }
    }

    /// The option's number, which must be above zero.
    func number(_ option: String) throws -> Double? {
        guard let text = options[option] else { return nil }
        if let number = Double(text), number > 0, number.isFinite { return number }
        throw UsageError(message: "\(name): \(option) must be a number above 0: \(text)\n\n")
    }
}
