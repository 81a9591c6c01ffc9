import Foundation
import SQift

/// Backs up or restores a database, and shows the progress.
struct BackUpAndRestore {
    private let source: String
    private let destination: String
    private let folder: BackupFolder?
    private let pagesPerStep: Int
    private let line: ProgressLine
    /// Released after the library's read-only connections are closed. Those can't remove a `-wal`
    /// and a `-shm`; this one can (`DatabaseFile.openToRead`).
    private let connection: Connection

    init(_ arguments: Arguments) throws {
        source = arguments.operands[0]
        folder = try arguments.count("--keep").map { [source] count in
            try BackupFolder(arguments.operands[1], of: source, keeping: count)
        }
        destination = folder.map { $0.path(of: $0.newName) } ?? arguments.operands[1]
        let maximumPages = Double(try arguments.count("--pages") ?? 100)
        // Bytes per second.
        let rate = try arguments.number("--rate").map { $0 * 1e6 } ?? .infinity

        // Throws if the source isn't a database, before any file is created.
        connection = try DatabaseFile(source).openToRead()
        let pageSize = Double(try connection.pageSize())
        // With a rate, a step takes a tenth of a second at most, unless it is one page: a
        // cancellation is noticed only between two steps.
        pagesPerStep = Int(min(maximumPages, max(rate / 10 / pageSize, 1)))
        line = ProgressLine(pagesPerStep: pagesPerStep, pageSize: pageSize, rate: rate)
    }

    func backUp() async throws {
        // Backups of a lost database would take the place of those that have something.
        if folder != nil {
            try refuseEmptySource("so it isn't backed up with --keep")
        }
        try await writeBackup()
        print("\(source) is backed up to \(destination)")
        for path in try folder?.deleteOldest() ?? [] {
            print("\(path) is deleted")
        }
    }

    func restore() async throws {
        if DatabaseFile(destination).exists {
            try await restoreIntoDatabase()
        } else {
            try refuseEmptySource("so it isn't a backup")
            // A backup appears as a whole or not at all, even if this process is killed. An app
            // that found an empty database would take it for its own.
            try await writeBackup()
        }
        print("\(destination) is restored from \(source)")
    }

    private func refuseEmptySource(_ consequence: String) throws {
        guard try connection.query("SELECT EXISTS(SELECT 1 FROM sqlite_schema)") else {
            throw UnusableFile(description: "\(source) is empty, \(consequence)")
        }
    }

    private func writeBackup() async throws {
        var configuration = Database.Configuration()
        configuration.connection.key = DatabaseFile.key
        configuration.accessMode = .readOnly(immutable: false)
        let database = try Database(path: source, configuration: configuration)
        try await closing(database) {
            try await database.backup(
                to: .onDisk(destination),
                pagesPerStep: pagesPerStep,
                progress: line.show
            )
        }
    }

    private func restoreIntoDatabase() async throws {
        try DatabaseFile(destination).refuseSpecialFile()
        var configuration = Database.Configuration()
        configuration.connection.key = DatabaseFile.key
        configuration.journalMode = .unchanged
        let database = try Database(path: destination, configuration: configuration)
        try await closing(database) {
            do {
                try await database.restore(
                    from: .onDisk(source),
                    pagesPerStep: pagesPerStep,
                    progress: line.show
                )
            } catch let error as SQLiteError where error.resultCode == .busy {
                throw error.withoutSQL(prefix: "\(destination): ")
            }
        }
    }

    /// Calls `body` and then closes the database, even if `body` throws.
    private func closing(_ database: Database, _ body: () async throws -> Void) async throws {
        do {
            try await withTaskCancellationHandler(operation: body, onCancel: line.wake)
        } catch {
            try? await database.close()
            throw error
        }
        try await database.close()
    }
}
