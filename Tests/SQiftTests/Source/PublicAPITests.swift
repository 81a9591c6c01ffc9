import Foundation
import SQiftTestSupport
import Testing

/// The public API is a sorted list in Docs/PublicAPI.txt, so that a review sees a name that goes.
///
/// `SQIFT_WRITE_API=1 swift test --filter PublicAPITests` writes the list anew.
@Suite(.enabled(if: extractor != nil && Compiler.modules != nil, "there is no symbol graph"))
struct PublicAPITests {
    private struct Graph: Decodable {
        struct Symbol: Decodable {
            struct Fragment: Decodable {
                let spelling: String
            }
            let pathComponents: [String]
            let declarationFragments: [Fragment]
        }
        let symbols: [Symbol]
    }

    private static let list = packageFolder.appendingPathComponent("Docs/PublicAPI.txt")

    /// The declarations of the built library, each with the path of its name before it.
    private func declarations() throws -> [String] {
        let extractor = try #require(extractor)
        let modules = try #require(Compiler.modules)
        let folder = try TemporaryFolder()
        let script = """
            triple=$(swiftc -print-target-info | sed -n 's/^ *"triple": "\\(.*\\)",$/\\1/p')
            '\(extractor)' -module-name SQift -target "$triple" -I '\(modules.path)' \
                -I '\(Compiler.headers.path)' -minimum-access-level public -skip-inherited-docs \
                -skip-synthesized-members -output-dir '\(folder.url.path)'
            """
        let run = try ToolRun(shellScript: script)
        try #require(run.status == 0, "\(run.errors)")

        var lines: Set<String> = []
        for name in try folder.files() where name.hasSuffix(".symbols.json") {
            let data = try Data(contentsOf: folder.url.appendingPathComponent(name))
            for symbol in try JSONDecoder().decode(Graph.self, from: data).symbols {
                let declaration = symbol.declarationFragments.map(\.spelling).joined()
                    .split(whereSeparator: \.isWhitespace).joined(separator: " ")
                lines.insert("\(symbol.pathComponents.joined(separator: ".")): \(declaration)")
            }
        }
        return lines.sorted()
    }

    @Test func theListHasEveryDeclaration() throws {
        let declarations = try declarations()
        try #require(declarations.contains { $0.hasPrefix("Connection: ") })
        if ProcessInfo.processInfo.environment["SQIFT_WRITE_API"] != nil {
            let text = declarations.map { "\($0)\n" }.joined()
            try text.write(to: Self.list, atomically: true, encoding: .utf8)
        }
        let listed = try String(contentsOf: Self.list, encoding: .utf8)
            .split(separator: "\n").map(String.init)
        let gone = Set(listed).subtracting(declarations).sorted()
        let new = Set(declarations).subtracting(listed).sorted()
        #expect(gone == [], "gone: \(gone)")
        #expect(new == [], "new: \(new)")
        #expect(listed == listed.sorted())
    }
}

private let extractor: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "")
    .split(separator: ":").map { "\($0)/swift-symbolgraph-extract" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
