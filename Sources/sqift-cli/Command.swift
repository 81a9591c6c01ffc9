/// One of the tool's commands: its arguments, its help and its action.
struct Command: Sendable {
    struct Option: Sendable {
        let name: String
        /// The name of its value in the help, nil for an option without a value.
        let value: String?
        let summary: String
    }

    let name: String
    /// The names of its operands. One in brackets may be left out. For `DATABASE`, `A` and `B`, a
    /// `-` is the database that `SQIFT_DATABASE` names, and so is a lone one that is left out.
    let operands: [String]
    let summary: String
    let details: String
    let options: [Option]
    /// A call, without the tool's name.
    let example: String?
    /// The state that it leaves behind if it is cancelled.
    let cancellation: String
    let run: @Sendable (Arguments) async throws -> ExitCode

    init(
        _ name: String,
        _ operands: [String],
        _ summary: String,
        details: String,
        options: [Option] = [],
        example: String? = nil,
        cancellation: String = "nothing was changed",
        run: @escaping @Sendable (Arguments) async throws -> ExitCode
    ) {
        self.name = name
        self.operands = operands
        self.summary = summary
        self.details = details
        self.options = options + [.keyFile, .help]
        self.example = example
        self.cancellation = cancellation
        self.run = run
    }

    /// The name and the operands.
    var call: String {
        ([name] + operands).joined(separator: " ")
    }

    var usage: String {
        "Usage: sqift-cli \(call) [options]"
    }

    /// The usage, what the command does, its options, and an example.
    var help: String {
        let optionLines = columns(options.map { ($0.title, $0.summary) })
        let exampleLines = example.map { "\nExample:\n  sqift-cli \($0)\n" } ?? ""
        return "\(usage)\n\n\(details)\n\n\(optionLines)\(exampleLines)"
    }
}

extension Command.Option {
    /// For every command.
    static let keyFile = Self(
        name: "--key-file",
        value: "FILE",
        summary: "open encrypted databases with the key in FILE"
    )

    /// For every command.
    static let help = Self(
        name: "--help",
        value: nil,
        summary: "explain a command: sqift-cli backup --help"
    )

    /// For the commands whose result is a report.
    static let json = Self(name: "--json", value: nil, summary: "print the result as JSON")

    /// `--rate MB/S`
    var title: String {
        value.map { "\(name) \($0)" } ?? name
    }
}
