import Foundation

/// A file with what a process does at the moment, for whoever outlives the process.
final class Mark: Sendable {
    private static let size = 300
    private let file: Int32

    init(folder: String) {
        file = open(Self.path(in: folder), O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    }

    deinit {
        close(file)
    }

    private static func path(in folder: String) -> String { folder + "/mark" }

    func set(_ text: String) {
        // One call for the whole text, so that nobody reads half of it.
        let line = String(text.prefix(Self.size - 1)).padded(to: Self.size - 1) + "\n"
        _ = Array(line.utf8).withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
    }

    /// The text, and when it was set.
    static func read(in folder: String) -> (text: String, time: Date)? {
        let path = path(in: folder)
        guard let data = FileManager.default.contents(atPath: path),
            let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let time = attributes[.modificationDate] as? Date
        else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        return (text.trimmingCharacters(in: .whitespacesAndNewlines), time)
    }
}
