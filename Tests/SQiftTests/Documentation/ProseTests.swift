import Foundation
import SQiftTestSupport
import Testing

/// The English of the README, of the pages of Docs and of the sources' comments, as
/// Docs/internals/Contributing.md describes it.
struct ProseTests {
    private struct Paragraph {
        let page: String
        let text: String
    }

    private static let paragraphs = (try? readPages()) ?? []

    private static func readPages() throws -> [Paragraph] {
        let docs = packageFolder.appendingPathComponent("Docs")
        let pages = try FileManager.default.subpathsOfDirectory(atPath: docs.path)
            .filter { $0.hasSuffix(".md") && $0 != "CHANGELOG.md" }
            .map { docs.appendingPathComponent($0) }
        let sources = packageFolder.appendingPathComponent("Sources")
        let programs = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
            .filter { $0.hasSuffix(".swift") }
            .map { sources.appendingPathComponent($0) }
        let readmes = ["README.md", "Tests/JobQueue/README.md"]
            .map(packageFolder.appendingPathComponent)
        return try (pages + programs + readmes).flatMap { file in
            let text = try String(contentsOf: file, encoding: .utf8)
            let prose = file.pathExtension == "swift" ? comments(of: text) : text
            return paragraphs(of: prose).map {
                Paragraph(page: file.lastPathComponent, text: $0)
            }
        }
    }

    /// The comments that have lines of their own, without their slashes. Code is an empty line.
    private static func comments(of program: String) -> String {
        let lines = program.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { line in
            let code = line.drop { $0 == " " }
            let comment = code.hasPrefix("//") ? code.drop { $0 == "/" } : ""
            return String(comment.first == " " ? comment.dropFirst() : comment)
        }
        .joined(separator: "\n")
    }

    /// The paragraphs, list items and rows of tables, on one line each, without blocks of code.
    private static func paragraphs(of page: String) -> [String] {
        var paragraphs: [String] = [""]
        var isCode = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isCode.toggle()
            }
            let isBlock = isCode || line.hasPrefix("```") || line.hasPrefix("    ")
            let words = line.split(separator: " ")
            let beginsItem = words.first.map { $0 == "-" || $0 == "|" || $0.hasSuffix(".") }
            if isBlock || words.isEmpty || beginsItem == true {
                paragraphs.append("")
            }
            if !isBlock && !words.isEmpty {
                let text = beginsItem == true ? words.dropFirst() : words[...]
                paragraphs[paragraphs.count - 1] += text.joined(separator: " ") + " "
            }
        }
        return paragraphs.filter { !$0.isEmpty }.map(withoutQuotations)
    }

    /// Code and emphasized words may be quotations.
    private static func withoutQuotations(_ text: String) -> String {
        text.replacing(/`[^`]*`/, with: "")
            .replacing(/(^|[^*])[*][^*]+[*](?![*])/) { String($0.1) }
    }

    @Test func noSentenceBeginsWithSo() {
        for paragraph in Self.paragraphs {
            let begins = paragraph.text.contains(/(^|[.!?:] )So\b/)
            #expect(!begins, "\(paragraph.page): \(paragraph.text)")
        }
    }

    @Test func aHeadingNamesItsSubject() {
        let headings = Self.paragraphs.filter { $0.text.hasPrefix("#") }
        #expect(headings.count > 100)
        for heading in headings {
            let title = heading.text.trimmingCharacters(in: ["#", " "])
            let isName = title.hasPrefix("rusqlite")
            let isTitle =
                (isName || title.first?.isLowercase != true)
                && title.last?.isPunctuation != true
            #expect(isTitle, "\(heading.page): \(title)")
        }
    }

    @Test(arguments: [
        #"\b([Ss]ome|[Ee]very|[Aa]ny|[Nn]o)body\b"#, #"\b[Ww]hoever\b"#, #"\b[Aa] mail\b"#,
        #"\bmails\b"#, #"\b[Aa] text\b"#, #"\b[Tt]exts\b"#, #"in the same moment"#,
        #"in either case"#, #"\b[Aa]lso (if|after|when|because|while|without|with)\b"#,
        #"\b[Ss]ome [0-9]"#, #"\bbelongs? into\b"#, #"\binside of\b"#, #"\bfor ever\b"#,
        #"(^|[.!?] )Else\b"#,
    ])
    func noPhraseIsTranslated(phrase: String) throws {
        let phrase = try Regex(phrase)
        for paragraph in Self.paragraphs {
            let match = paragraph.text.firstMatch(of: phrase)
            #expect(match == nil, "\(paragraph.page): \(paragraph.text)")
        }
    }

    @Test func commentsAreFound() {
        let program = "/// One\n/// two.\nlet three = 3 // four\n    // Five\n"
        #expect(Self.comments(of: program) == "One\ntwo.\n\nFive\n")
    }

    @Test func paragraphsAreFound() {
        let page = "# One\n\nTwo `So`,\nthree *So*.\n- So four\n```\nSo five\n```\n| six |\n"
        #expect(Self.paragraphs(of: page) == ["# One ", "Two , three . ", "So four ", "six | "])
    }
}
