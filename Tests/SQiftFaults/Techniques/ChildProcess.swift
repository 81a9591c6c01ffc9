import Foundation

/// Another process of this program, and the lines that it says.
final class ChildProcess {
    private let process: Process
    private let output = Pipe()
    private var buffer = Data()

    init(_ arguments: [String]) throws {
        process = try ownProcess(arguments)
        process.standardOutput = output
        try process.run()
    }

    /// Waits for the next line; nil at the end.
    func readLine() -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer = Data(buffer[(end + 1)...])
                return line
            }
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { return nil }
            buffer.append(data)
        }
    }

    /// Reads to the end. Only whole lines count: the process may be killed in the middle of one.
    func readRest(after first: String?) -> [String] {
        var lines = first.map { [$0] } ?? []
        while let line = readLine() {
            lines.append(line)
        }
        return lines
    }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Waits for the end. Returns whether it ended well.
    func hasEndedWell() -> Bool {
        process.waitUntilExit()
        return process.terminationReason == .exit && process.terminationStatus == 0
    }
}
