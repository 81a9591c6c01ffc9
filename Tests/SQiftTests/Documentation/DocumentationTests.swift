import Foundation
import Testing

/// Every Swift block of the README and of Docs stands in a file of this folder, where it is
/// compiled and run. White space and imports don't count, nor does `@main`: the tests are a program
/// already.
@Test(.timeLimit(.minutes(20))) func everySwiftBlockOfTheDocumentsIsCompiledAndRun() throws {
    func essence(_ text: some StringProtocol) -> String {
        text.split(whereSeparator: \.isNewline)
            .filter {
                let line = $0.trimmingCharacters(in: .whitespaces)
                return !line.hasPrefix("import ") && line != "@main"
            }
            .joined()
            .filter { !$0.isWhitespace }
    }
    func files(in folder: String, _ ending: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: packageFolder.appendingPathComponent(folder),
            includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == ending }
    }
    let code = try files(in: "Tests/SQiftTests/Documentation", "swift").map {
        essence(try String(contentsOf: $0, encoding: .utf8))
    }
    let pages = try files(in: "Docs", "md") + [packageFolder.appendingPathComponent("README.md")]
    var blocks = 0
    for page in pages {
        let parts = try String(contentsOf: page, encoding: .utf8).components(
            separatedBy: "```swift\n"
        ).dropFirst()
        for part in parts {
            let block = part.components(separatedBy: "```")[0]
            blocks += 1
            #expect(
                code.contains { $0.contains(essence(block)) },
                "\(page.lastPathComponent) has a block of its own:\n\(block)"
            )
        }
    }
    #expect(blocks > 0)
}

@Test(.timeLimit(.minutes(20))) func theReadmeIsShort() throws {
    let readme = try String(
        contentsOf: packageFolder.appendingPathComponent("README.md"),
        encoding: .utf8
    )
    #expect(readme.utf8.count { $0 == UInt8(ascii: "\n") } <= 250)
}
