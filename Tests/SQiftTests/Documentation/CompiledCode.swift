import Foundation
import SQiftTestSupport

/// The code of this folder and of the packages that the documents show, which is compiled and run.
///
/// White space and imports don't count, nor does `@main`: the tests are a program already.
struct CompiledCode {
    private let files: [String]

    init() throws {
        let folders = [
            "Tests/SQiftTests/Documentation", "Tests/Tutorial", "Tests/FirstProgram",
            "Tests/JobQueue",
        ]
        files = try folders.flatMap { try Self.files(in: $0, "swift") }.map { file in
            // These packages are inside SQift's, the reader's beside it.
            Self.essence(of: try String(contentsOf: file, encoding: .utf8))
                .replacingOccurrences(of: "path:\"../..\"", with: "path:\"../SQift\"")
        }
    }

    func contains(_ block: String) -> Bool {
        let essence = Self.essence(of: block)
        return files.contains { $0.contains(essence) }
    }

    private static func essence(of text: String) -> String {
        text.split(whereSeparator: \.isNewline)
            .filter {
                let line = $0.trimmingCharacters(in: .whitespaces)
                return !line.hasPrefix("import ") && line != "@main"
                    && !line.hasPrefix("@testable import ")
            }
            .joined()
            .filter { !$0.isWhitespace }
    }

    /// The Swift blocks of a text.
    static func blocks(of text: String) -> [String] {
        text.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
    }

    static func files(in folder: String, _ ending: String) throws -> [URL] {
        let folder = packageFolder.appendingPathComponent(folder)
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix("." + ending) && !$0.contains(".build") }
            .map { folder.appendingPathComponent($0) }
    }
}
