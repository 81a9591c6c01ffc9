import Foundation
import Testing

/// The tool's lexer finds the string literals that the compiler's parser finds.
@Suite(
    .timeLimit(.minutes(20)),
    .builtLint,
    .enabled(if: SwiftLiterals.obstacle == nil, "\(SwiftLiterals.obstacle ?? "")")
)
struct LintLiteralTests {
    private func expectSameLiterals(
        in folder: URL,
        _ paths: [String],
        atLeast count: Int
    ) throws {
        let run = try LintRun(["--literals"] + paths, in: folder)
        #expect(run.status == 0, "\(run.errorLines)")
        let files = try paths.flatMap { path in
            try FileManager.default.subpathsOfDirectory(
                atPath: folder.appendingPathComponent(path).path
            ).filter { $0.hasSuffix(".swift") && !$0.contains(".build") }.map { "\(path)/\($0)" }
        }
        let expected = try SwiftLiterals.all(in: files.map { "\(folder.path)/\($0)" })
            .map { String($0.dropFirst(folder.path.count + 1)) }
        let found = Set(run.otherLines)
        try #require(expected.count >= count)
        let missing = expected.filter { !found.contains($0) }
        let wrong = found.subtracting(expected).sorted()
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
            let n = /[^"]*"/, o = #/ " /#, p = 6 / 2 / 3, q = "r"  // "s"
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
