import Foundation
import SQiftTestSupport
import Testing

/// The pictures of Docs, which `Docs/pictures/draw` makes of the sources beside them.
struct PictureTests {
    private nonisolated static let hasPython =
        (try? ToolRun(shellScript: "python3 --version"))?.status == 0

    private let pictures = packageFolder.appendingPathComponent("Docs/pictures")

    private func names(endingWith ending: String, in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(ending) }
            .map { String($0.dropLast(ending.count)) }
            .sorted()
    }

    @Test(.enabled(if: hasPython, "Python 3 draws the pictures"))
    func everyPictureIsWhatItsSourceDraws() throws {
        let folder = try TemporaryFolder()
        let draw = pictures.appendingPathComponent("draw").path

        let run = try ToolRun(shellScript: "python3 '\(draw)' '\(folder.url.path)'")

        #expect(run.status == 0, "\(run.errors)")
        let names = try names(endingWith: ".txt", in: pictures)
        #expect(names.count >= 5)
        #expect(try self.names(endingWith: ".svg", in: pictures) == names)
        for name in names {
            let file = pictures.appendingPathComponent(name + ".svg")
            let drawn = try Data(contentsOf: folder.url.appendingPathComponent(name + ".svg"))
            #expect(
                try Data(contentsOf: file) == drawn,
                "\(name).svg isn't what its source draws; run Docs/pictures/draw"
            )
        }
    }

    @Test func everyPictureIsOnAPageWithItsAlternativeText() throws {
        let docs = packageFolder.appendingPathComponent("Docs")
        let folders = [docs, docs.appendingPathComponent("internals")]
        let pages = try folders.flatMap { folder in
            try names(endingWith: ".md", in: folder).map {
                try String(contentsOf: folder.appendingPathComponent($0 + ".md"), encoding: .utf8)
                    .replacingOccurrences(of: "\n", with: " ")
                    .replacingOccurrences(of: "](../pictures/", with: "](pictures/")
            }
        }

        for name in try names(endingWith: ".txt", in: pictures) {
            let source = try String(
                contentsOf: pictures.appendingPathComponent(name + ".txt"),
                encoding: .utf8
            )
            let line = try #require(source.split(separator: "\n").first { $0.hasPrefix("alt ") })
            let image = "![\(line.dropFirst(4))](pictures/\(name).svg)"
            #expect(pages.contains { $0.contains(image) }, "no page shows \(image)")
        }
    }
}
