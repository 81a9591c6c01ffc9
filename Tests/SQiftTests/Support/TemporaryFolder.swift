import Foundation
import SQift
import Testing

/// A test's own folder. It is removed with the last reference to it.
package final class TemporaryFolder: Sendable {
    package let url: URL

    /// A new folder, for the property of a suite. Without one no test can run.
    package static var fresh: TemporaryFolder {
        do {
            return try TemporaryFolder()
        } catch {
            fatalError("no temporary folder: \(error)")
        }
    }

    package init() throws {
        // Not `resolvingSymlinksInPath`, which on Apple's systems takes `/private` away, where the
        // temporary files are. SQLite's paths have it.
        guard let parent = realpath(FileManager.default.temporaryDirectory.path, nil) else {
            throw CocoaError(.fileReadUnknown)
        }
        defer { free(parent) }
        url = URL(fileURLWithPath: String(cString: parent))
            .appendingPathComponent("SQiftTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    package func path(_ name: String = "test.sqlite") -> String {
        url.appendingPathComponent(name).path
    }

    /// The names of the files, sorted.
    package func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    }

    /// Makes a symbolic link with this name.
    package func link(_ name: String, to goal: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: path(name),
            withDestinationPath: goal
        )
    }

    /// Expects files with these names, and no other.
    package func expectFiles(
        _ names: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try files() == names, sourceLocation: sourceLocation)
    }

    package func size(_ name: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path(name))
        return attributes?[.size] as? Int ?? 0
    }

    /// How many files in the folder this process has open; nil if the system doesn't say.
    package func descriptorCount() -> Int? {
        guard let all = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") else {
            return nil
        }
        return all.filter { descriptor in
            let file = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\(descriptor)"
            )
            return file?.hasPrefix(url.path) ?? false
        }.count
    }

    /// Opens the test's database. Its commits don't wait for the disk.
    package func open(
        _ change: (inout Database.Configuration) -> Void = { _ in }
    ) throws -> Database {
        var configuration = Database.Configuration()
        configuration.synchronous = .off
        change(&configuration)
        return try Database(path: path(), configuration: configuration)
    }

    /// Opens another connection to the test's database, as another process would.
    package func connection() throws -> Connection {
        try Connection(path: path())
    }
}
