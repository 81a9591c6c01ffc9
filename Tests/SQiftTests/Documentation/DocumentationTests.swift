import Foundation
import SQiftTestSupport
import Testing

/// The README and the pages of Docs.
struct DocumentationTests {
    private struct Page {
        let file: URL
        let text: String

        var name: String { file.lastPathComponent }

        /// The lines that aren't in blocks of code, with their numbers.
        var prose: [(number: Int, line: Substring)] {
            var isCode = false
            return lines.filter { _, line in
                guard line.hasPrefix("```") else { return !isCode }
                isCode.toggle()
                return false
            }
        }

        var lines: [(number: Int, line: Substring)] {
            text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
                .map { ($0.offset + 1, $0.element) }
        }

        /// The headings' anchors, as Git hosts make them.
        var anchors: Set<String> {
            Set(
                prose.filter { $0.line.hasPrefix("#") }.map { heading in
                    heading.line.drop { $0 == "#" || $0 == " " }.lowercased()
                        .filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
                        .replacingOccurrences(of: " ", with: "-")
                }
            )
        }

        init(_ file: URL) throws {
            self.file = file
            text = try String(contentsOf: file, encoding: .utf8)
        }
    }

    private let pages: [Page]

    init() throws {
        let files = try CompiledCode.files(in: "Docs", "md")
        let others = ["Tests/JobQueue/README.md", "README.md"]
        pages = try (files + others.map(packageFolder.appendingPathComponent)).map(Page.init)
    }

    /// Every Swift block stands in a file of this folder, where it is compiled and run, or in one of
    /// the packages that the documents show.
    @Test func everySwiftBlockIsCompiledAndRun() throws {
        let code = try CompiledCode()
        var blockCount = 0
        for page in pages {
            for block in CompiledCode.blocks(of: page.text) {
                blockCount += 1
                let isCompiled = code.contains(block)
                #expect(isCompiled, "\(page.name) has a block of its own:\n\(block)")
            }
        }
        #expect(blockCount > 0)
    }

    @Test func everyLinkLeadsSomewhere() throws {
        let link = /\]\(([^)\s]+)\)/
        var linkCount = 0
        for page in pages {
            // A link's text may be on two lines.
            let prose = page.prose.map { $0.line }.joined(separator: "\n")
            for match in prose.matches(of: link) where !match.1.contains("://") {
                let parts = match.1.split(
                    separator: "#",
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
                linkCount += 1
                let target =
                    parts[0].isEmpty
                    ? page.file
                    : page.file.deletingLastPathComponent().appendingPathComponent("\(parts[0])")
                        .standardizedFileURL
                #expect(
                    FileManager.default.fileExists(atPath: target.path),
                    "\(page.name) links to \(match.1)"
                )
                guard parts.count == 2 else { continue }
                let anchors = try Page(target).anchors
                #expect(anchors.contains("\(parts[1])"), "\(page.name) links to \(match.1)")
            }
        }
        #expect(linkCount > 0)
    }

    /// Tables and outputs can't be wrapped.
    @Test func noLineIsTooLong() {
        for page in pages {
            let outputs = page.text.components(separatedBy: "```").enumerated()
                .filter { $0.offset % 2 == 1 && !$0.element.hasPrefix("swift") }
                .map(\.element)
            for (number, line) in page.lines where line.count > 100 && !line.hasPrefix("|") {
                let isOutput = outputs.contains { $0.contains(line) }
                #expect(isOutput, "\(page.name), line \(number), has \(line.count) columns")
            }
        }
    }

    @Test func everyPageIsInTheIndex() throws {
        let index = try #require(pages.first { $0.file.path.hasSuffix("Docs/README.md") })
        for page in pages where page.name != "README.md" {
            let isNamed = ["(\(page.name))", "(internals/\(page.name))"].contains {
                index.text.contains($0)
            }
            #expect(isNamed, "\(page.name) isn't in the index")
        }
    }

    /// What isn't a guide: about the versions, generated, or for those who change the library.
    private static let otherPages = ["Benchmarks", "CHANGELOG", "SECURITY", "Support"]

    /// Guards against growth: a page is read before it is written, and says what others don't.
    @Test func theGuidesAreFewAndShort() throws {
        let docs = packageFolder.appendingPathComponent("Docs").path
        let guides = pages.filter { page in
            page.file.deletingLastPathComponent().path == docs
                && !Self.otherPages.contains { page.name == "\($0).md" }
        }
        let wordCount = guides.map { $0.text.split { $0.isWhitespace }.count }.reduce(0, +)
        #expect(guides.count <= 22)
        #expect(wordCount <= 39_600, "the guides have \(wordCount) words")
    }

    @Test func theReadmeIsShort() throws {
        let readme = try #require(pages.last)
        #expect(readme.name == "README.md")
        #expect(readme.lines.count <= 181)
    }
}
