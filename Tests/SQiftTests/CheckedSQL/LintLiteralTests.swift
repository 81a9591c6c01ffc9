import Foundation
import SQiftTestSupport
import Testing

@testable import sqift_lint

/// The tool's lexer finds the string literals that the compiler's parser finds.
@Suite(
    .enabled(if: SwiftLiterals.obstacle == nil, "\(SwiftLiterals.obstacle ?? "")")
)
struct LintLiteralTests {
    /// The bytes of a literal.
    private struct Literal: Hashable {
        let path: String
        let range: Range<Int>

        init(path: String, range: Range<Int>) {
            self.path = path
            self.range = range
        }

        /// - Parameter line: Such as `Cars.swift:120-143`.
        init?(_ line: String) {
            let parts = line.split(separator: ":")
            let bounds = parts[parts.count - 1].split(separator: "-").compactMap { Int($0) }
            guard parts.count == 2, bounds.count == 2 else { return nil }
            self.init(path: String(parts[0]), range: bounds[0]..<bounds[1])
        }
    }

    private func expectSameLiterals(
        in folder: URL,
        _ paths: [String],
        atLeast count: Int
    ) throws {
        let files = try paths.flatMap { path in
            let folder = folder.appendingPathComponent(path).path
            return try FileManager.default.subpathsOfDirectory(atPath: folder)
                .filter { $0.hasSuffix(".swift") && !$0.contains(".build") }
                .map { "\(folder)/\($0)" }
        }
        var found: Set<Literal> = []
        var skipped: Set<String> = []
        for path in files {
            let lexer = Lexer([UInt8](try fileBytes(path)))
            if !lexer.isWhole {
                skipped.insert(path)
                continue
            }
            for token in lexer.tokens where token.kind == .text {
                let end = token.offset + token.text.utf8.count
                found.insert(Literal(path: path, range: token.offset..<end))
            }
        }
        // Only regular expressions between pounds may end the reading of a file.
        #expect(skipped.count * 100 < files.count, "\(skipped)")

        let expected = try SwiftLiterals.all(in: files.filter { !skipped.contains($0) })
            .compactMap { Literal($0) }
        try #require(expected.count >= count)
        // A literal in the interpolation of another is read with that one.
        let outer = Dictionary(grouping: expected, by: \.path).values.flatMap { literals in
            var end = 0
            return literals.sorted { $0.range.lowerBound < $1.range.lowerBound }.filter { literal in
                defer { end = max(end, literal.range.upperBound) }
                return literal.range.lowerBound >= end
            }
        }
        let missing = Set(outer).subtracting(found)
        let wrong = found.subtracting(outer)
        #expect(missing.isEmpty, "\(missing.count): \(missing.prefix(10))")
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(10))")
    }

    @Test func allFilesOfTheRepositoryHaveTheSameLiterals() throws {
        try expectSameLiterals(in: packageFolder, ["Sources", "Tests"], atLeast: 10_000)
    }

    @Test func rareFormsAreTheSameLiterals() throws {
        let sources = try LintSources([
            "Sources/Rare.swift": ##"""
            let a = "", b = "\\", c = "\"", d = "\("x")", e = "\("\("y" + "(")")"
            let f = #""#, g = #""""#, h = #"\"#, i = ##"a"#b"##, j = #"\#("k")"#, l = #"\("m")"#
            let n = /[^"]*"/; let p = 6 / 2 / 3, q = "r"  // "s"
            /* "t" /* " */ "u" */
            let v = """
                "w" ""x"" \""" \("y") \
                #"z"#
                """
            let aa = #"""
                """ "bb" \#("cc") \
                """#
            let dd = "é😀\u{22}", ee = "\(f("\u{1F600}", { "ff" }))"
            @available(*, deprecated, message: "gg") func hh() {}
            #if os(Windows)
                let ii = "jj"
            #endif
            func kk(_ ll: String = "mm") -> String { #function + "\(ll, default: "nn")" }
            let oo = a ? "pp" : "qq", rr = ["ss": "tt"], uu = `class` / "vv".count / 2
            let ww = x.split { $0 == "/" }, xx = y.firstMatch(of: /\/"(?<z>\w+)"/)

            """##
        ])
        try expectSameLiterals(in: sources.folder.url, ["Sources"], atLeast: 30)
    }
}
