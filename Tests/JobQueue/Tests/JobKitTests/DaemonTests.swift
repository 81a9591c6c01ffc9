import Foundation
import JobKit
import SQift
import Testing

/// The program, which is built beside the tests.
private let executable: URL? = {
    let tests = URL(fileURLWithPath: CommandLine.arguments[0])
    let file = tests.deletingLastPathComponent().appendingPathComponent("jobd")
    return FileManager.default.isExecutableFile(atPath: file.path) ? file : nil
}()

/// The program itself, as its user and the system see it.
@Suite(.enabled(if: executable != nil, "jobd isn't beside the tests"))
struct DaemonTests {
    private let test: TestQueue
    private let path: String

    init() throws {
        test = try TestQueue(.memory)
        path = test.folder.appendingPathComponent("jobs.sqlite").path
    }

    private func program(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        let environment = ProcessInfo.processInfo.environment
        process.environment = environment.merging(["JOBD_GRACE_PERIOD": "0"]) { $1 }
        return process
    }

    /// Runs the program, and returns what it prints.
    private func run(_ arguments: String...) throws -> String {
        let process = program(arguments)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self)
    }

    @Test func aServiceDoesJobsUntilItGetsASignal() throws {
        #expect(try run("add", path, "pause", "seconds=3600") == "1\n")
        #expect(try run("add", path, "unknown") == "2\n")
        let process = program(["serve", path, test.folder.path])
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        var log = ""
        func wait(for text: String) throws {
            while !log.contains(text) {
                let data = errors.fileHandleForReading.availableData
                try #require(!data.isEmpty, "\(log)")
                log += String(decoding: data, as: UTF8.self)
            }
        }
        try wait(for: "pause 1, attempt 1")
        try wait(for: "1 waiting, 1 running, 0 dead")
        try wait(for: "backup: \(test.folder.path)/jobs-")
        // The service hears of what another process adds.
        #expect(try run("add", path, "log", "message=hello = world") == "3\n")
        try wait(for: "hello = world")

        process.terminate()
        try wait(for: "stopped")
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)

        let connection = try Connection(path: path)
        let jobs: [Job] = try connection.query(
            """
            SELECT id, kind, payload, due_at, lease, attempts, last_error, dead_at
            FROM jobs ORDER BY id
            """
        )
        #expect(jobs.map(\.kind) == ["pause", "unknown"])
        #expect(jobs.map(\.lease) == [nil, nil])
        #expect(jobs.map(\.lastError) == [nil, "there is no job of the kind unknown"])
        #expect(jobs.first?.attempts == 0)
        #expect(try run("search", path, "unkn").hasPrefix("2 unknown {} due at 20"))
    }

    @Test(arguments: [[], ["serve"], ["add", "FILE"], ["dead", "FILE", "x"], ["burn", "FILE"]])
    func aMistakenCommandOpensNoFile(arguments: [String]) throws {
        let process = program(arguments.map { $0 == "FILE" ? path : $0 })
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
