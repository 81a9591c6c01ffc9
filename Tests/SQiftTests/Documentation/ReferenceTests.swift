import Foundation
import Testing

/// The examples of the reference: those in the comments, and those on the pages that DocC adds.
struct ReferenceTests {
    /// What has to be shown to be understood.
    private nonisolated static let functions = [
        "run", "prepare", "query", "cursor", "forEachRow", "execute", "transaction", "savepoint",
        "read", "write", "writeWithoutTransaction", "backup", "restore", "snapshot", "changes",
        "onChanges", "values", "suspend", "prepareConnections", "rehearse", "schemaDrift",
        "pending", "load", "rebuildTable", "attachDatabase", "openBlob", "vacuum", "checkpoint",
        "integrityCheck", "columns", "addFunction", "addCollation", "didCommit",
    ]

    private struct Example {
        let file: URL
        let code: String
        /// The line of code below the comment; empty on a page.
        let declaration: String
    }

    private let examples: [Example]

    init() throws {
        let pages = try CompiledCode.files(in: "Sources/SQift", "md").flatMap { file in
            let text = try String(contentsOf: file, encoding: .utf8)
            return CompiledCode.blocks(of: text).map {
                Example(file: file, code: $0, declaration: "")
            }
        }
        examples =
            try pages + CompiledCode.files(in: "Sources/SQift", "swift").flatMap(Self.examples)
    }

    private static func examples(in file: URL) throws -> [Example] {
        var examples: [Example] = []
        var comment = ""
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let code = line.trimmingCharacters(in: .whitespaces)
            if code.hasPrefix("///") {
                comment += code.dropFirst(3) + "\n"
            } else if !code.hasPrefix("@") || code.contains(" func ") {
                examples += CompiledCode.blocks(of: comment).map {
                    Example(file: file, code: $0, declaration: code)
                }
                comment = ""
            }
        }
        return examples
    }

    @Test func everyExampleIsCompiledAndRun() throws {
        let code = try CompiledCode()

        #expect(examples.count > 80)
        for example in examples {
            let isCompiled = code.contains(example.code)
            let name = example.file.lastPathComponent
            #expect(isCompiled, "\(name) has a block of its own:\n\(example.code)")
        }
    }

    @Test(arguments: functions)
    func whatNeedsAnExampleHasOne(name: String) {
        let isShown = examples.contains { example in
            example.declaration.contains("func \(name)(")
                || example.declaration.contains("func \(name)<")
        }
        #expect(isShown)
    }
}
