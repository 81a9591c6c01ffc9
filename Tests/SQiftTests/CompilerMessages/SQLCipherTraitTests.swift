import Foundation
import SQiftTestSupport
import Testing

/// A package that turns the trait `SQLCipher` on, with an installed SQLCipher. The environment's
/// `SQLCIPHER_PREFIX` is where that is, if it isn't in one of the usual folders.
struct SQLCipherTraitTests {
    private static let prefix: String? = {
        let given = ProcessInfo.processInfo.environment["SQLCIPHER_PREFIX"]
        let prefixes = given.map { [$0] } ?? ["/usr", "/usr/local", "/opt/homebrew"]
        return prefixes.first { prefix in
            let header = URL(fileURLWithPath: prefix + "/include/sqlcipher/sqlite3.h")
            let text = (try? String(contentsOf: header, encoding: .utf8)) ?? ""
            // SQLCipher 4 is SQLite 3.24 or newer, and SQift needs 3.35.
            let version = text.components(separatedBy: "#define SQLITE_VERSION_NUMBER ").last
            return version.flatMap { Int($0.prefix { $0.isNumber }) }.map { $0 >= 3_035_000 }
                == true
        }
    }()

    @Test(
        .enabled(if: Compiler.obstacle == nil, "programs can't be compiled here"),
        .enabled(if: prefix != nil, "SQLCipher 4 with its header isn't installed")
    )
    func aPackageWithTheTraitLinksSQLCipherOnly() throws {
        let prefix = try #require(Self.prefix)
        let folder = try TemporaryFolder()
        let manifest = """
            // swift-tools-version: 6.1
            import PackageDescription
            let package = Package(
                name: "Consumer",
                platforms: [.macOS(.v13)],
                dependencies: [
                    .package(name: "SQift", path: "\(packageFolder.path)", traits: ["SQLCipher"])
                ],
                targets: [
                    .executableTarget(
                        name: "Consumer",
                        dependencies: [
                            .product(name: "SQift", package: "SQift"),
                            .product(name: "CSQift", package: "SQift"),
                        ]
                    )
                ]
            )
            """
        let program = """
            import CSQift
            import Foundation
            import SQift

            var configuration = Connection.Configuration()
            configuration.key = Data("horse".utf8)
            let connection = try Connection(path: "test.sqlite", configuration: configuration)
            try connection.execute("CREATE TABLE t(x)")
            let code = try connection.withUnsafeHandle { sqlite3_rekey($0, "stable", 6) }
            print(code, String(cString: sqlite3_libversion()) == Connection.sqliteVersion)
            """
        let sources = folder.url.appendingPathComponent("Sources/Consumer")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        try Data(manifest.utf8).write(to: folder.url.appendingPathComponent("Package.swift"))
        try Data(program.utf8).write(to: sources.appendingPathComponent("main.swift"))

        let flags = "-Xcc -I\(prefix)/include -Xlinker -L\(prefix)/lib"
        let script = """
            cd '\(folder.url.path)' && swift build \(flags) && LD_LIBRARY_PATH='\(prefix)/lib' \
            .build/debug/Consumer && (command -v ldd >/dev/null && ldd .build/debug/Consumer || true)
            """
        let run = try ToolRun(shellScript: script)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains("0 true"), "\(run.output)")
        #expect(!run.output.contains("libsqlite3"), "\(run.output)")
        let header = try FileHandle(
            forReadingFrom: folder.url.appendingPathComponent("test.sqlite")
        )
        .read(upToCount: 15)
        #expect(header != Data("SQLite format 3".utf8))
    }
}
