import Foundation
import SQift

/// Backs up and restores, shows how far it is, and stops at Ctrl-C.
struct Copy {
    private let source: String
    private let destination: String
    private let pages: Int
    private let pageSize: Double
    /// In bytes per second.
    private let rate: Double

    init(_ arguments: Arguments) throws {
        (source, destination) = (arguments.operands[0], arguments.operands[1])
        let number = min(try arguments.number("--pages") ?? 100, 1e9).rounded(.up)
        rate = try arguments.number("--rate").map { $0 * 1e6 } ?? .infinity
        // Before anything is created: is it a database?
        let connection = try openToRead(source)
        try connection.run("PRAGMA schema_version")
        pageSize = try connection.query("PRAGMA page_size")
        // A cancellation is noticed between two steps: a slow one takes a tenth of a second.
        pages = Int(min(number, max(rate / 10 / pageSize, 1)))
    }

    func backUp() async throws {
        var configuration = Database.Configuration()
        configuration.accessMode = .readOnly(immutable: false)
        let database = try Database(path: source, configuration: configuration)
        try await untilInterrupted {
            try await database.backup(
                to: .onDisk(destination),
                pagesPerStep: pages,
                progress: progress
            )
        }
        try await database.close()
        print("\(source) is backed up to \(destination)")
    }

    func restore() async throws {
        var configuration = Database.Configuration()
        configuration.journalMode = .unchanged
        let database = try Database(path: destination, configuration: configuration)
        try await untilInterrupted {
            try await database.restore(
                from: .onDisk(source),
                pagesPerStep: pages,
                progress: progress
            )
        }
        try await database.close()
        print("\(destination) is restored from \(source)")
    }

    /// Shows a bar on a terminal and a line for each tenth elsewhere, and keeps to the rate.
    private var progress: @Sendable (Backup.Progress) -> Void {
        let isTerminal = isatty(STDERR_FILENO) != 0
        let start = DispatchTime.now().uptimeNanoseconds
        return { [pages, pageSize, rate] progress in
            let bytes = Double(progress.completedPageCount) * pageSize
            let ahead = bytes / rate - Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
            if ahead > 0 { Thread.sleep(forTimeInterval: ahead) }
            let before =
                Double(progress.completedPageCount - pages) / Double(max(progress.pageCount, 1))
            let parts: Double = isTerminal ? 200 : 10
            let isNew = floor(progress.fractionCompleted * parts) > floor(before * parts)
            guard isNew || progress.remainingPageCount == 0 else { return }
            let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
            let line = Copy.line(progress, speed: bytes / max(seconds, 1e-6), pageSize: pageSize)
            guard isTerminal else { return printError(line) }
            let length = Int(progress.fractionCompleted * 24)
            let bar =
                String(repeating: "#", count: length) + String(repeating: ".", count: 24 - length)
            let end = progress.remainingPageCount == 0 ? "\n" : ""
            FileHandle.standardError.write(Data("\r[\(bar)] \(line)\u{1B}[K\(end)".utf8))
        }
    }

    private static func line(_ progress: Backup.Progress, speed: Double, pageSize: Double) -> String
    {
        let left = Int(
            (Double(progress.remainingPageCount) * pageSize / max(speed, 1)).rounded(.up)
        )
        let time = "\(left / 60):\(left % 60 / 10)\(left % 10)"
        let done = String(format: "%3.0f %%  ", (progress.fractionCompleted * 100).rounded(.down))
        let pages = "\(progress.completedPageCount) of \(progress.pageCount) pages"
        return done + pages + String(format: "  %.1f MB/s  ", speed / 1e6) + "\(time) left"
    }
}

/// Calls `body` in a task that Ctrl-C, or the signal to end, cancels.
func untilInterrupted(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task(operation: body)
    let sources = [SIGINT, SIGTERM].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { task.cancel() }
        source.resume()
        return source
    }
    defer {
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }
    try await task.value
}
