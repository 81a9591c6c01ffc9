import Foundation
import Testing

/// What must hold for every file of the library.
@Suite struct SourceTests {
    private struct SourceFile {
        let path: String
        let lines: [(number: Int, code: String)]

        /// Whether the design lets this file call the C API.
        var mayCallC: Bool {
            ["Support/", "Core/", "Values/", "SQLite/", "Backup/"].contains { path.hasPrefix("SQift/" + $0) }
        }
    }

    private let files: [SourceFile]

    init() throws {
        let sources = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources").standardizedFileURL
        let paths = try #require(FileManager.default.subpaths(atPath: sources.path)).filter {
            $0.hasSuffix(".swift")
        }
        files = try paths.sorted().map { path in
            let text = try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
                .map { (number: $0 + 1, code: Self.withoutComment(String($1))) }
            return SourceFile(path: path, lines: lines)
        }
        try #require(files.contains { $0.path == "SQift/Core/Connection.swift" })
    }

    private var library: [SourceFile] { files.filter { $0.path.hasPrefix("SQift/") } }

    /// The line up to a comment. A `//` in a URL inside a string ends it too, which hides nothing
    /// that matters here.
    private static func withoutComment(_ line: String) -> String {
        line.range(of: "//").map { String(line[..<$0.lowerBound]) } ?? line
    }

    private func expectNowhere(_ text: String, in files: [SourceFile]) {
        for file in files {
            for line in file.lines where line.code.contains(text) {
                Issue.record("\(text) in \(file.path):\(line.number)")
            }
        }
    }

    @Test func theCModuleIsImportedInternallyAndOnlyWhereTheDesignAllows() {
        for file in library {
            for line in file.lines where line.code.contains("import CSQift") {
                let (isInternal, isAllowed) = (line.code == "internal import CSQift", file.mayCallC)
                #expect(isInternal, "\(file.path):\(line.number)")
                #expect(isAllowed, "\(file.path):\(line.number)")
            }
        }
        let isImported = library.contains {
            $0.lines.contains { $0.code == "internal import CSQift" }
        }
        #expect(isImported)
    }

    @Test(arguments: ["sqlite3_", "OpaquePointer", "Unmanaged", "unsafeBitCast"])
    func theCAPIIsUsedOnlyWhereTheDesignAllows(name: String) {
        expectNowhere(name, in: library.filter { !$0.mayCallC })
    }

    @Test func theCommandLineToolUsesThePublicAPIOnly() {
        for text in ["CSQift", "sqlite3_", "@testable", "OpaquePointer"] {
            expectNowhere(text, in: files.filter { $0.path.hasPrefix("sqift-cli/") })
        }
    }

    @Test(arguments: ["try!", "fatalError(", "as! "])
    func nothingTrapsOnWhatDependsOnData(text: String) {
        expectNowhere(text, in: files)
    }

    @Test func preconditionsAreOnlyInTheOneTrap() {
        for text in ["precondition(", "preconditionFailure(", "assertionFailure("] {
            expectNowhere(text, in: library.filter { $0.path != "SQift/Support/Trap.swift" })
        }
    }

    @Test func whatBlocksSaysTheSameEverywhere() {
        var messages: Set<String> = []
        for file in library {
            let code = file.lines.map(\.code)
            for index in code.indices where code[index].contains("noasync") {
                messages.insert(code[index...].prefix(3).joined(separator: "\n"))
            }
        }
        let hasBothCauses = messages.allSatisfy {
            $0.contains("Sendable") && $0.contains("main.swift")
        }
        #expect(messages.count == 1, "\(messages)")
        #expect(hasBothCauses)
    }

    @Test func atMostThreePlacesAreUnchecked() {
        var places: [String] = []
        for file in library {
            for line in file.lines {
                let count = ["@unchecked Sendable", "nonisolated(unsafe)"].reduce(0) {
                    $0 + line.code.components(separatedBy: $1).count - 1
                }
                places += Array(repeating: "\(file.path):\(line.number)", count: count)
            }
        }
        #expect(places.count <= 3, "\(places)")
    }

    @Test func onlyTheSystemIsImported() {
        let system = ["Foundation", "Dispatch", "Darwin", "Glibc", "Musl", "CSQift"]
        for file in library {
            for line in file.lines {
                let words = line.code.split(separator: " ")
                guard let position = words.firstIndex(of: "import"), position + 1 < words.count
                else { continue }
                let isKnown = system.contains(String(words[position + 1]))
                #expect(isKnown, "\(line.code) in \(file.path):\(line.number)")
            }
        }
    }

    /// In tokens: a word, a number, a text or a sign. A line break that helps the reader is no
    /// size.
    @Test func theLibraryAndTheToolStaySmall() {
        let token = /[A-Za-z_]\w*|\d[\w.]*|"(?:\\.|[^"\\])*"|[^\s\w]/
        func tokens(_ folder: String) -> Int {
            files.filter { $0.path.hasPrefix(folder) }.flatMap(\.lines)
                .reduce(0) { $0 + $1.code.matches(of: token).count }
        }
        #expect(tokens("SQift/") < 66_000)
        #expect(tokens("sqift-cli/") < 9_000)
    }
}
