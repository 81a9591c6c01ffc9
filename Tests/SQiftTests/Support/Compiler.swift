import Foundation

/// Compiles programs that use the library, which is built beside the tests.
package enum Compiler {
    /// The messages (`error: …`, `warning: …`, `note: …`) by the names of the programs.
    ///
    /// - Parameters:
    ///   - programs: Source code by its file's name; `main` may have code at its top level.
    ///   - mode: Swift's language mode.
    ///   - findingRaces: Whether to look for data races too. The compiler does that for programs
    ///     whose types are right.
    ///   - isOnMainActor: Whether the programs' code is on the main actor by default, as in an app
    ///     that Xcode 26 has made.
    package static func messages(
        about programs: [String: String],
        mode: String = "6",
        findingRaces: Bool = false,
        isOnMainActor: Bool = false
    ) throws -> [String: [String]] {
        let folder = try TemporaryFolder()
        for (name, code) in programs {
            let file = folder.url.appendingPathComponent(name + ".swift")
            try code.write(to: file, atomically: true, encoding: .utf8)
        }

        var arguments = findingRaces ? ["-emit-sil", "-o", "/dev/null"] : ["-typecheck"]
        arguments += ["-swift-version", mode, "-module-name", "Programs"]
        if isOnMainActor {
            arguments += ["-default-isolation", "MainActor"]
            arguments += ["-enable-upcoming-feature", "NonisolatedNonsendingByDefault"]
            arguments += ["-enable-upcoming-feature", "InferIsolatedConformances"]
        }
        if programs["main"] == nil {
            arguments.append("-parse-as-library")
        }
        let names = programs.keys.sorted().map { $0 + ".swift" }
        return messages(in: try output(of: arguments + names, in: folder))
    }

    /// The errors in a module of these files of the library alone.
    ///
    /// - Parameter paths: Relative to the package's folder.
    package static func errors(inLibraryOf paths: [String]) throws -> [String] {
        let arguments = ["-typecheck", "-swift-version", "6", "-module-name", "SQift"]
        let files = paths.map { packageFolder.appendingPathComponent($0).path }
        let output = try output(
            of: arguments + ["-parse-as-library"] + files,
            in: TemporaryFolder()
        )
        return output.split(separator: "\n").map { "\($0)" }.filter { $0.contains("error: ") }
    }

    /// What the compiler prints about the files in a folder.
    private static func output(of arguments: [String], in folder: TemporaryFolder) throws -> String
    {
        guard let program = executable, let modules else { throw CocoaError(.fileNoSuchFile) }
        let output = folder.url.appendingPathComponent("messages")
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)

        let process = Process()
        process.executableURL = program
        process.currentDirectoryURL = folder.url
        // The name by which the package manager builds the tests' helpers.
        let package = packageFolder.lastPathComponent.lowercased()
        // The build's cache, in which Foundation's modules are compiled already.
        let cache = modules.deletingLastPathComponent().appendingPathComponent("ModuleCache")
        process.arguments =
            ["-wmo", "-diagnostic-style", "llvm", "-package-name", package]
            + ["-module-cache-path", cache.path, "-I", modules.path, "-I", headers.path]
            + arguments
        let handle = try FileHandle(forWritingTo: output)
        process.standardError = handle
        process.standardOutput = handle
        try process.run()
        process.waitUntilExit()
        // Foundation's `contentsOf` leaks for an empty file on Linux.
        let bytes = try FileHandle(forReadingFrom: output).readToEnd() ?? Data()
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Why nothing can be compiled here; nil if it can.
    package static let obstacle: String? = {
        if executable == nil {
            return "swiftc isn't in the PATH"
        }
        if modules == nil {
            return "the built module isn't found beside the tests"
        }
        let test = ["Import": "import SQift"]
        let found = (try? messages(about: test)) ?? ["": ["swiftc doesn't run"]]
        return found.isEmpty ? nil : "\(found)"
    }()

    private static let executable = (ProcessInfo.processInfo.environment["PATH"] ?? "")
        .split(separator: ":").map { URL(fileURLWithPath: "\($0)/swiftc") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }

    /// The folder of the built modules, beside the tests' program or bundle.
    package static let modules: URL? = {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        return ([program] + bundles).map {
            $0.deletingLastPathComponent().appendingPathComponent("Modules")
        }.first {
            let module = $0.appendingPathComponent("SQift.swiftmodule")
            return FileManager.default.fileExists(atPath: module.path)
        }
    }()

    package static let headers = packageFolder.appendingPathComponent("Sources/CSQift/System")

    /// Parses lines such as `a.swift:1:2: error: text`. A line about another file, which has a
    /// declaration of the library, belongs to the error before it.
    private static func messages(in output: String) -> [String: [String]] {
        var messages: [String: [String]] = [:]
        var program = ""
        for line in output.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 3)
            guard parts.count == 4, Int(parts[1]) != nil, Int(parts[2]) != nil else {
                if line.hasPrefix("error:") {
                    messages["", default: []].append("\(line)")
                }
                continue
            }
            if parts[0].hasSuffix(".swift"), !parts[0].contains("/") {
                program = "\(parts[0].dropLast(6))"
            }
            let message = parts[3].trimmingCharacters(in: .whitespaces)
            messages[program, default: []].append(message)
        }
        return messages
    }
}
