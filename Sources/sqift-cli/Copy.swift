import Foundation
import SQift

/// Backs up and restores, and shows how far it is.
struct Copy {
    private let source: String
    private let destination: String
    private let pages: Int
    private let pageSize: Double
    /// In bytes per second.
    private let rate: Double
    /// Closed after the library's connections, so that these leave nothing beside the source.
    private let connection: Connection

    init(_ arguments: Arguments) throws {
        source = arguments.operands[0]
        destination = arguments.operands[1]
        let number = min(try arguments.number("--pages") ?? 100, 1e9).rounded(.up)
        rate = try arguments.number("--rate").map { $0 * 1e6 } ?? .infinity
        // Before anything is created: is it a database?
        connection = try openToRead(source)
        pageSize = try connection.query("PRAGMA page_size")
        // A cancellation is noticed between two steps: a slow one takes a tenth of a second.
        pages = Int(min(number, max(rate / 10 / pageSize, 1)))
    }

    func backUp() async throws {
        try await writeBackup()
        print("\(source) is backed up to \(destination)")
    }

    func restore() async throws {
        if FileManager.default.fileExists(atPath: destination) {
            try await restoreIntoDatabase()
        } else {
            guard try connection.query("PRAGMA page_count") > 0 else {
                throw UnusableFile(description: "\(source) is empty, and no backup of a database")
            }
            // A new database appears as a whole or not at all, even if this is killed: an app that
            // found an empty one would take it for its own.
            try await writeBackup()
        }
        print("\(destination) is restored from \(source)")
    }

    private func writeBackup() async throws {
        var configuration = Database.Configuration()
        configuration.accessMode = .readOnly(immutable: false)
        let database = try Database(path: source, configuration: configuration)
        try await closing(database) { [pages, progress, destination] in
            let location = StorageLocation.onDisk(destination)
            try await database.backup(to: location, pagesPerStep: pages, progress: progress)
        }
    }

    private func restoreIntoDatabase() async throws {
        var configuration = Database.Configuration()
        configuration.journalMode = .unchanged
        try refuseSpecialFile(destination)
        let database = try Database(path: destination, configuration: configuration)
        try await closing(database) { [pages, progress, source] in
            let location = StorageLocation.onDisk(source)
            try await database.restore(from: location, pagesPerStep: pages, progress: progress)
        }
    }

    /// Calls `body` and closes the database, whatever happens.
    private func closing(_ database: Database, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            try? await database.close()
            throw error
        }
        try await database.close()
    }

    /// Shows a bar on a terminal and a line for each tenth elsewhere, and keeps to the rate.
    private var progress: @Sendable (Backup.Progress) -> Void {
        let start = DispatchTime.now().uptimeNanoseconds
        return { [pages, pageSize, rate] progress in
            let bytes = Double(progress.completedPageCount) * pageSize
            let ahead = bytes / rate - Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
            if ahead > 0 {
                Thread.sleep(forTimeInterval: ahead)
            }
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
            // The cursor stays at the line's start: what comes next takes the bar's place.
            let end = progress.remainingPageCount == 0 ? "\n" : "\r"
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
        let pages = "\(progress.completedPageCount) of \(counted(progress.pageCount, "page"))"
        return done + pages + String(format: "  %.1f MB/s  ", speed / 1e6) + "\(time) left"
    }
}
