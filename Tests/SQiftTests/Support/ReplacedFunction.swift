#if os(Linux)
    import Foundation
    import Testing

    /// A function of the C library's or of SQLite's, written anew, for another process to call
    /// instead.
    package struct ReplacedFunction {
        /// The environment of that process.
        package let environment: [String: String]

        private static let compiler = "/usr/bin/cc"

        package static let isPossible = FileManager.default.isExecutableFile(atPath: compiler)

        /// - Parameter code: The function in C.
        package init(_ code: String, in folder: TemporaryFolder) throws {
            let (source, library) = (folder.path("other.c"), folder.path("other.so"))
            try code.write(toFile: source, atomically: true, encoding: .utf8)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: Self.compiler)
            process.arguments = ["-shared", "-fPIC", "-o", library, source, "-ldl"]
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
            environment = ["LD_PRELOAD": library]
        }
    }
#endif
