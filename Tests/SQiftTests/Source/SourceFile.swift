import Foundation
import SQiftTestSupport

/// A file of the library or of one of the tools, as text and as tokens.
struct SourceFile {
    /// Relative to `Sources`: `SQift/Core/Row/Row.swift`.
    let path: String
    let lines: [SourceLine]
    /// The code of all lines, comments left out.
    let tokens: [SourceToken]

    /// `Core`, or nil for a file that isn't in a folder of the library.
    var layer: String? {
        let parts = path.split(separator: "/")
        return parts.first == "SQift" && parts.count > 2 ? String(parts[1]) : nil
    }

    /// `SQift`
    var target: String {
        String(path.prefix { $0 != "/" })
    }

    /// `Row+Cells`
    var name: String {
        String(path.split(separator: "/").last?.dropLast(".swift".count) ?? "")
    }

    init(path: String, text: String) {
        self.path = path
        var scanner = SourceScanner()
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" {
            lines.removeLast()
        }
        self.lines = lines.enumerated().map { index, line in
            scanner.scan(line, number: index + 1)
        }
        tokens = scanner.tokens
    }

    /// Every Swift file under `Sources`, in the order of the paths.
    static func all() throws -> [SourceFile] {
        try loaded.get()
    }

    static func library() throws -> [SourceFile] {
        try all().filter { $0.path.hasPrefix("SQift/") }
    }

    // Read once: the tests share it.
    private static let loaded = Result { try load() }

    private static func load() throws -> [SourceFile] {
        // This file is Tests/SQiftTests/Source/SourceFile.swift.
        var package = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 {
            package.deleteLastPathComponent()
        }
        let sources = package.appendingPathComponent("Sources")
        return try ["SQift", "sqift-cli", "sqift-lint"].flatMap { target in
            let folder = sources.appendingPathComponent(target)
            let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
                let file = folder.appendingPathComponent(path)
                let text = try String(contentsOf: file, encoding: .utf8)
                return SourceFile(path: "\(target)/\(path)", text: text)
            }
        }
    }
}

struct SourceLine {
    let number: Int
    /// The whole line.
    let text: String
    /// The line without its comment.
    let code: String
    /// The comment with its slashes, or an empty text.
    let comment: String
    let tokenCount: Int
}

struct SourceToken {
    enum Kind {
        /// An identifier or a keyword.
        case name
        case number
        /// A string literal, of which `text` is the quotation mark that begins it.
        case text
        /// One character.
        case sign
    }

    let kind: Kind
    let text: String
    let line: Int

    var isName: Bool { kind == .name }
}
