import Foundation

/// The tool was called with wrong arguments.
struct UsageError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

/// A command's operands and options.
struct Arguments {
    private(set) var operands: [String] = []
    private(set) var options: [String: String] = [:]

    /// - Throws: `UsageError` if the command doesn't take an argument, or if one is missing.
    init(_ arguments: some Sequence<String>, of command: Command) throws {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-"), argument != "-" else {
                operands.append(argument)
                continue
            }
            if argument == "--" {
                operands += rest
                break
            }
            let name = String(argument.prefix { $0 != "=" })
            guard let option = command.options.first(where: { $0.name == name }) else {
                let suggestion = name.suggestion(from: command.options.map(\.name))
                throw UsageError("\(command.name) has no option \(name)\(suggestion)")
            }
            guard options[name] == nil else { throw UsageError("\(name) is given twice") }
            let value = argument == name ? nil : String(argument.dropFirst(name.count + 1))
            options[name] = try Self.value(of: option, equalTo: value, orIn: &rest)
        }
        try checkOperandCount(for: command)
        try insertDatabase(for: command)
    }

    private func checkOperandCount(for command: Command) throws {
        let needed = command.operands.filter { !$0.hasPrefix("[") }
        guard operands.count >= needed.count else {
            let missing = needed[operands.count...].joined(separator: " and ")
            throw UsageError("\(command.name) needs \(missing)")
        }
        guard operands.count <= command.operands.count else {
            throw UsageError("unexpected argument: \(operands[command.operands.count])")
        }
    }

    /// Puts the database that `SQIFT_DATABASE` names in place of a `-`, and of a lone operand that
    /// is missing.
    private mutating func insertDatabase(for command: Command) throws {
        let names = command.operands.map { $0.filter { !"[]".contains($0) } }
        if operands.isEmpty, names == ["DATABASE"] {
            operands = ["-"]
        }
        for (index, name) in names.enumerated() {
            guard ["DATABASE", "A", "B"].contains(name) else {
                if operands[index] == "-" {
                    throw UsageError("- stands for a database, and \(name) isn't one")
                }
                continue
            }
            if operands[index] == "-" {
                operands[index] = try Self.databaseOfEnvironment()
                guard !operands[index].isEmpty else {
                    throw UsageError("\(command.name) needs \(name), or SQIFT_DATABASE for it")
                }
            }
            // Other tools create a file of this name.
            guard !operands[index].hasPrefix("sqlite:") else {
                throw UsageError("\(name) is a path, not a URL: \(operands[index])")
            }
        }
    }

    /// Returns the value of `SQIFT_DATABASE`, or an empty string. As in `main.swift`, a path that
    /// isn't UTF-8 is refused, and not repaired as Foundation does.
    private static func databaseOfEnvironment() throws -> String {
        guard let bytes = getenv("SQIFT_DATABASE") else { return "" }
        guard let path = String(validatingCString: bytes) else {
            throw UsageError("SQIFT_DATABASE isn't UTF-8, so it can't be used")
        }
        return path
    }

    /// Returns the text after the option's `=`. Without an `=`, it is the next argument, if that
    /// isn't an option.
    private static func value(
        of option: Command.Option,
        equalTo value: String?,
        orIn rest: inout ArraySlice<String>
    ) throws -> String {
        guard let meaning = option.value else {
            guard value == nil else { throw UsageError("\(option.name) takes no value") }
            return ""
        }

        if let value, !value.isEmpty {
            return value
        }
        guard value == nil, let next = rest.first, !next.isEmpty, !next.hasPrefix("--") else {
            throw UsageError("\(option.name) needs a value: \(option.name)=\(meaning)")
        }
        rest.removeFirst()
        return next
    }

    /// The bytes of a key's file, without one newline at its end. Nil without the option. The file
    /// may be a pipe, as in `--key-file <(pass show database)`.
    func key(_ option: String = "--key-file") throws -> Data? {
        guard let path = options[option] else { return nil }
        // `Data(contentsOf:)` and `FileHandle(forReadingFrom:)` want a file.
        guard let file = fopen(path, "r") else { throw unreadableKey(path) }
        defer { fclose(file) }
        var key = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { break }
            key += buffer.prefix(count)
        }
        guard ferror(file) == 0 else { throw unreadableKey(path) }
        return key.last == UInt8(ascii: "\n") ? key.dropLast() : key
    }

    private func unreadableKey(_ path: String) -> UnusableFile {
        let reason = String(cString: strerror(errno))
        return UnusableFile(description: "can't read the key's file \(path): \(reason)")
    }

    /// The option's number, rounded up to a whole one; nil if the option isn't given.
    ///
    /// - Throws: `UsageError` if that isn't a number above zero.
    func count(_ option: String) throws -> Int? {
        try number(option).map { Int(min($0, 1e9).rounded(.up)) }
    }

    /// The option's number; nil if the option isn't given.
    ///
    /// - Throws: `UsageError` if that isn't a number above zero.
    func number(_ option: String) throws -> Double? {
        guard let text = options[option] else { return nil }
        if let number = Double(text), number > 0, number.isFinite {
            return number
        }
        throw UsageError("\(option) must be a number above 0, not \(text)")
    }
}
