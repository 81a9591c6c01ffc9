import Foundation
import SQift

extension JobQueue {
    /// Writes a backup into a folder, `jobs-2026-11-28T030000Z.sqlite`, while the workers go on.
    /// Then it deletes the oldest backups, and returns the new one.
    ///
    /// SQift verifies the backup before it gets its name, so an older one is only deleted if the
    /// new one is sound.
    ///
    /// - Parameter count: How many to keep, with the new one.
    @discardableResult public func backUp(
        into folder: URL,
        keeping count: Int
    ) async throws -> URL {
        let time = settings.now().formatted(.iso8601.timeSeparator(.omitted))
        let newName = "jobs-\(time).sqlite"
        let backup = folder.appendingPathComponent(newName)
        try await database.backup(to: .onDisk(backup.path))

        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let others = names.filter { $0 != newName && isBackup($0) }.sorted(by: >)
        for name in others.dropFirst(max(count - 1, 0)) {
            try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
        return backup
    }

    /// Whether a file has exactly the name of a backup. Others in the folder are never deleted.
    private func isBackup(_ name: String) -> Bool {
        name.wholeMatch(of: /jobs-[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{6}Z\.sqlite/) != nil
    }
}
