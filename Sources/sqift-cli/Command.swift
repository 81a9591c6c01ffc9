/// One of the tool's commands: its arguments, its help and its action.
struct Command: Sendable {
    struct Option: Sendable {
        let name: String
        /// The name of its value in the help, nil for an option without a value.
        let value: String?
        let summary: String
    }

    let name: String
    /// The names of its operands. An operand in brackets may be left out.
    let operands: [String]
    let summary: String
    let details: String
    let options: [Option]
    /// The state that it leaves behind if it is cancelled.
    let cancellation: String
    let run: @Sendable (Arguments) async throws -> ExitCode

    init(
        _ name: String,
        _ operands: [String],
        _ summary: String,
        details: String,
        options: [Option] = [],
        cancellation: String = "nothing was changed",
        run: @escaping @Sendable (Arguments) async throws -> ExitCode
    ) {
        self.name = name
        self.operands = operands
        self.summary = summary
        self.details = details
        self.options = options + [.keyFile]
        self.cancellation = cancellation
        self.run = run
    }

    /// The name and the operands.
    var call: String {
        ([name] + operands).joined(separator: " ")
    }

    var usage: String {
        "usage: sqift-cli \(call) [options]"
    }

    /// The usage, what the command does, and its options.
    var help: String {
        let optionLines = columns(options.map { ($0.title, $0.summary) })
        return "\(usage)\n\n\(details)\n\n\(optionLines)"
    }
}

extension Command.Option {
    /// For every command.
    static let keyFile = Self(
        name: "--key-file",
        value: "FILE",
        summary: "open encrypted databases with the key in FILE"
    )

    /// `--rate MB/S`
    var title: String {
        value.map { "\(name) \($0)" } ?? name
    }
}
