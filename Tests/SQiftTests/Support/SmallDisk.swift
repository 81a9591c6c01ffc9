import Foundation
import Testing

/// A disk of some megabytes. It is unmounted with the last reference to it.
package final class SmallDisk {
    package let path: String

    package init(in folder: TemporaryFolder, megabytes: Int = 1) throws {
        path = folder.path("disk")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let size = "size=\(megabytes)m"
        let isMounted = try Self.run("mount", "-t", "tmpfs", "-o", size, "tmpfs", path)
        try #require(isMounted)
    }

    deinit {
        _ = try? Self.run("umount", "-l", path)
    }

    package static let canBeMade: Bool = {
        guard getuid() == 0, let folder = try? TemporaryFolder(),
            let isThere = try? run("mount", "--version"), isThere
        else { return false }
        return (try? run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.url.path)) == true
            && (try? run("umount", folder.url.path)) == true
    }()

    /// Whether a command succeeds.
    private static func run(_ arguments: String...) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
