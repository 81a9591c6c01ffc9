import Foundation
import JobKit

/// A service that does the jobs of a file, and the commands of its users.
@main
struct JobDaemon {
    static let usage = """
        usage: jobd serve FILE [BACKUPS]
               jobd add FILE KIND [KEY=VALUE ...]
               jobd search FILE WORDS
               jobd dead FILE
               jobd revive FILE
        """

    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            report("jobd: \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        guard let command = arguments.first, arguments.count >= 2 else { throw UsageError() }
        let path = arguments[1]
        let rest = arguments.dropFirst(2)

        switch (command, rest.count) {
        case ("serve", 0...1):
            try await serve(path, backups: rest.first.map { URL(fileURLWithPath: $0) })
        case ("add", 1...):
            let kind = arguments[2]
            let values = try payload(of: rest.dropFirst())
            try await withQueue(path) { print(try await $0.add(kind, values).id) }
        case ("search", 1...):
            let words = rest.joined(separator: " ")
            try await withQueue(path) { printList(of: try await $0.search(words)) }
        case ("dead", 0):
            try await withQueue(path) { printList(of: try await $0.deadJobs()) }
        case ("revive", 0):
            try await withQueue(path) { print(try await $0.reviveDeadJobs()) }
        default:
            throw UsageError()
        }
    }

    private static func withQueue(
        _ path: String,
        _ body: (JobQueue) async throws -> Void
    ) async throws {
        let queue = try JobQueue(path: path)
        try await body(queue)
        try await queue.close()
    }

    // MARK: The service

    /// Does jobs until SIGTERM or SIGINT. The order matters: first no job is claimed any more, then
    /// those that run end or are given back, and only then is the file closed.
    private static func serve(_ path: String, backups: URL?) async throws {
        let queue = try JobQueue(path: path)
        let workers = Workers(for: queue, gracePeriod: gracePeriod, work: work(on:))
        let service = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await workers.run() }
                group.addTask { try await reportMetrics(of: queue) }
                if let backups {
                    group.addTask { await backUp(queue, into: backups) }
                }
                // If one of them fails, the others are cancelled.
                try await group.waitForAll()
            }
        }
        let signals = [SIGTERM, SIGINT].map { onSignal($0) { service.cancel() } }
        defer { signals.forEach { $0.cancel() } }

        let result = await service.result
        try await queue.close()
        try result.get()
        report("stopped")
    }

    /// Shorter than the time after which the system kills the process: 10 s in Docker, 90 s in
    /// systemd.
    private static var gracePeriod: TimeInterval {
        ProcessInfo.processInfo.environment["JOBD_GRACE_PERIOD"].flatMap(TimeInterval.init) ?? 8
    }

    /// Calls a closure at each signal of a kind, in place of ending the process.
    private static func onSignal(
        _ number: Int32,
        do action: @escaping @Sendable () -> Void
    ) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { action() }
        source.resume()
        return source
    }

    private static func reportMetrics(of queue: JobQueue) async throws {
        try await queue.reportMetrics(every: .seconds(1)) { metrics in
            report("\(metrics.waiting) waiting, \(metrics.running) running, \(metrics.dead) dead")
        }
    }

    /// Makes a backup at the start, and each day after it, and keeps the last seven. A full disk is
    /// no reason to stop the workers.
    private static func backUp(_ queue: JobQueue, into folder: URL) async {
        repeat {
            do {
                let backup = try await queue.backUp(into: folder, keeping: 7)
                report("backup: \(backup.path)")
            } catch {
                report("no backup: \(error)")
            }
        } while (try? await Task.sleep(for: .seconds(86_400))) != nil
    }

    // MARK: The jobs

    @Sendable private static func work(on job: Job) async throws {
        report("\(job.kind) \(job.id), attempt \(job.attempts)")
        let arguments = try job.arguments()
        switch job.kind {
        case "log":
            report(arguments["message", default: ""])
        case "pause":
            let seconds = arguments["seconds"].flatMap(Double.init) ?? 1
            try await Task.sleep(for: .seconds(seconds))
        default:
            throw UnknownKind(kind: job.kind)
        }
    }

    private static func payload(of arguments: some Sequence<String>) throws -> [String: String] {
        try arguments.reduce(into: [:]) { payload, argument in
            guard let sign = argument.firstIndex(of: "=") else { throw UsageError() }
            payload[String(argument[..<sign])] = String(argument[argument.index(after: sign)...])
        }
    }

    private static func printList(of jobs: [Job]) {
        for job in jobs {
            let state = job.deadAt.map { "dead since \($0)" } ?? "due at \(job.dueAt)"
            print(job.id, job.kind, job.payload, state, job.lastError ?? "")
        }
    }

    private static func report(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}

private struct UsageError: Error, CustomStringConvertible {
    var description: String { JobDaemon.usage }
}

private struct UnknownKind: Error, CustomStringConvertible {
    let kind: String
    var description: String { "there is no job of the kind \(kind)" }
}
