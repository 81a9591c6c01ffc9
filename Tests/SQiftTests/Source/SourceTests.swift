import Foundation
import SQiftTestSupport
import Testing

/// What must hold for every file of the library.
struct SourceTests {
    private let files: [SourceFile]

    init() throws {
        files = try SourceFile.all()
        try #require(files.contains { $0.path == "SQift/Core/Connection.swift" })
    }

    private var library: [SourceFile] { files.filter { $0.path.hasPrefix("SQift/") } }

    /// Whether the design lets the file call the C API.
    private func mayCallC(_ file: SourceFile) -> Bool {
        let layers = ["Support", "Core", "SQLite", "Backup", "Observation"]
        return file.layer.map(layers.contains) ?? false
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
                let isInternal = line.code == "internal import CSQift"
                let isAllowed = mayCallC(file)
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
        expectNowhere(name, in: library.filter { !mayCallC($0) })
    }

    /// Only what runs after an access, or has refused running statements before, may reset the
    /// statements of others: a caller further up the stack would read its rows from the beginning.
    @Test(arguments: ["sqlite3_reset(", "resetStatements(", "rollBackLeftovers("])
    func onlyWhatNobodyStepsIsReset(name: String) {
        let allowed = [
            "SQift/Core/Statement/Statement.swift",
            "SQift/Core/Transactions/Connection+Cleanup.swift",
            "SQift/Migration/Migrator+Apply.swift",
        ]
        let others = library.filter { $0.layer != "Concurrency" && !allowed.contains($0.path) }
        expectNowhere(name, in: others)
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
}
