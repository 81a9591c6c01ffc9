import Foundation
import SQiftTestSupport

/// The string literals of Swift files, as the compiler's own parser finds them.
enum SwiftLiterals {
    /// Such as `Cars.swift:120-143`: the bytes of each literal, its quotation marks included.
    ///
    /// - Parameter paths: The files.
    static func all(in paths: [String]) throws -> [String] {
        let folder = try TemporaryFolder()
        let source = folder.path("main.swift")
        try program.write(toFile: source, atomically: true, encoding: .utf8)
        guard let compiler, let modules else { throw CocoaError(.fileNoSuchFile) }
        let libraries = ["-I", modules.path, "-L", modules.path, "-lSwiftSyntax", "-lSwiftParser"]
        let path = ["-Xlinker", "-rpath", "-Xlinker", modules.path]
        let built = folder.path("literals")
        _ = try output(of: compiler, libraries + path + [source, "-o", built], in: folder)
        return try output(of: URL(fileURLWithPath: built), paths, in: folder)
            .split(separator: "\n").map(String.init)
    }

    /// Why they can't be found here; nil if they can.
    static let obstacle: String? =
        compiler == nil
        ? "swiftc isn't in the PATH"
        : modules == nil ? "the compiler comes without its parser's modules" : nil

    private static let compiler = (ProcessInfo.processInfo.environment["PATH"] ?? "")
        .split(separator: ":").map { URL(fileURLWithPath: "\($0)/swiftc") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }

    private static let modules: URL? = compiler.flatMap { compiler in
        let folder = compiler.resolvingSymlinksInPath()
            .appendingPathComponent("../../lib/swift/host").standardized
        let module = folder.appendingPathComponent("SwiftParser.swiftmodule")
        return FileManager.default.fileExists(atPath: module.path) ? folder : nil
    }

    private static func output(
        of program: URL,
        _ arguments: [String],
        in folder: TemporaryFolder
    ) throws -> String {
        let file = folder.url.appendingPathComponent("output")
        try Data().write(to: file)
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = try FileHandle(forWritingTo: file)
        process.writeNoProfile()
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.fileReadUnknown) }
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    private static let program = """
        import Foundation
        import SwiftParser
        import SwiftSyntax

        final class Finder: SyntaxVisitor {
            var path = ""

            func add(_ node: some SyntaxProtocol) -> SyntaxVisitorContinueKind {
                let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
                print("\\(path):\\(start)-\\(node.endPositionBeforeTrailingTrivia.utf8Offset)")
                return .visitChildren
            }

            override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
                add(node)
            }

            override func visit(
                _ node: SimpleStringLiteralExprSyntax
            ) -> SyntaxVisitorContinueKind {
                add(node)
            }
        }
        for path in CommandLine.arguments.dropFirst() {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let finder = Finder(viewMode: .sourceAccurate)
            finder.path = path
            finder.walk(Parser.parse(source: text))
        }
        """
}
