import Foundation
import SQiftTestSupport
import Testing

/// The commands of Docs/WhichSQLite.md, in a package that uses SQift.
///
/// The environment's `SQIFT_AMALGAMATION` is a folder with SQLite's amalgamation. Without it, the
/// static library of Debian's `libsqlite3-dev` takes its place.
@Suite(
    .serialized,
    .enabled(if: Compiler.obstacle == nil, "programs can't be compiled here")
)
struct WhichSQLiteGuideTests {
    private nonisolated static let amalgamation = ProcessInfo.processInfo.environment[
        "SQIFT_AMALGAMATION"
    ]

    /// The script that makes `sqlite/lib` and `sqlite/include`; nil if nothing is there for it.
    private nonisolated static let library: String? = {
        if let amalgamation {
            let commands = block(with: "libsqlite3.a sqlite/sqlite3.o")
            return "cp \(amalgamation)/sqlite3.[ch] .\n\(commands)"
        }
        let folder = try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib").first {
            FileManager.default.fileExists(atPath: "/usr/lib/\($0)/libsqlite3.a")
        }
        return folder.map {
            """
            mkdir -p sqlite/lib sqlite/include
            cp /usr/include/sqlite3.h sqlite/include
            ln -s /usr/lib/\($0)/libsqlite3.a sqlite/lib
            """
        }
    }()

    /// The page's shell block that contains the text.
    private nonisolated static func block(with text: String) -> String {
        let page = packageFolder.appendingPathComponent("Docs/WhichSQLite.md")
        let blocks = (try? String(contentsOf: page, encoding: .utf8))?
            .components(separatedBy: "```sh\n").dropFirst()
            .map { $0.components(separatedBy: "```")[0] }
        return blocks?.first { $0.contains(text) } ?? "false"
    }

    private func makePackage(product: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let manifest = """
            // swift-tools-version: 6.1
            import PackageDescription
            let package = Package(
                name: "Consumer",
                dependencies: [.package(name: "SQift", path: "\(packageFolder.path)")],
                targets: [
                    .executableTarget(
                        name: "Consumer",
                        dependencies: [.product(name: "\(product)", package: "SQift")]
                    )
                ]
            )
            """
        let program = """
            import SQift
            let connection = try Connection()
            try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1), ('two')")
            var text = ""
            try connection.dump("SELECT x FROM t", to: &text)
            print(text, try connection.query("SELECT sqlite_version()") as String)
            """
        let sources = folder.url.appendingPathComponent("Sources/Consumer")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        try Data(manifest.utf8).write(to: folder.url.appendingPathComponent("Package.swift"))
        try Data(program.utf8).write(to: sources.appendingPathComponent("main.swift"))
        return folder
    }

    /// Builds the package by these commands, and runs it. Returns its output and what `ldd` says.
    private func build(_ commands: String, in folder: TemporaryFolder) async throws -> [String] {
        let script = """
            set -e
            cd '\(folder.url.path)'
            { \(commands)
            } >log 2>&1 || { cat log >&2; exit 1; }
            .build/debug/Consumer
            echo ==
            ldd .build/debug/Consumer
            """
        // A build can take minutes, and holds none of the few threads of tasks meanwhile: the other
        // tests would wait for them as long, and some have a limit.
        let run = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try ToolRun(shellScript: script) })
            }
        }
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.output.hasPrefix("x\n1\n'two'\n 3."))
        let parts = run.output.components(separatedBy: "==\n")
        return parts.count == 2 ? parts : ["", ""]
    }

    @Test(.enabled(if: library != nil, "there is no static library of SQLite"))
    func aProgramHasSQLiteAndSwiftInside() async throws {
        let folder = try makePackage(product: "SQift")
        let library = try #require(Self.library)
        let commands = "\(library)\n\(Self.block(with: "swift build -Xcc"))"
        let dynamic = try await build(commands, in: folder)
        #expect(!dynamic[1].contains("libsqlite3"))
        #expect(dynamic[1].contains("libFoundation"))

        let otherCommands = Self.block(with: "--static-swift-stdlib")
        let alone = try await build("rm -rf .build\n\(otherCommands)", in: folder)
        #expect(!alone[1].contains("libsqlite3"))
        #expect(!alone[1].contains("libFoundation"))
        #expect(!alone[1].contains("libswift"))
        #expect(alone[0] == dynamic[0])
    }

    @Test func theDynamicProductIsALibraryOfItsOwn() async throws {
        let folder = try makePackage(product: "SQiftDynamic")
        let libraries = try await build("swift build", in: folder)[1]
        #expect(libraries.contains("libSQiftDynamic"))
    }
}
