import Foundation
import SQiftTestSupport
import Testing

/// What one page of the sources looks like, as far as the formatter doesn't see to it.
struct PageTests {
    private static let columns = 100
    private static let lines = 400
    private static let tokensPerLine = 7.5

    @Test func noLineIsLongerThanThePage() throws {
        for file in try SourceFile.all() {
            for line in file.lines where line.text.count > Self.columns {
                Issue.record("\(line.text.count) columns in \(file.path):\(line.number)")
            }
        }
    }

    @Test func noFileIsTooLong() throws {
        for file in try SourceFile.all() where file.lines.count > Self.lines {
            Issue.record("\(file.lines.count) lines in \(file.path):\(Self.lines)")
        }
    }

    /// Only lines with code count: a comment or an empty line can't make dense code readable.
    @Test func noFolderIsDense() throws {
        let files = try SourceFile.all()
        let folders = Dictionary(grouping: files) { $0.layer ?? $0.target }
        for (folder, files) in folders {
            let lines = files.flatMap(\.lines).filter { $0.tokenCount > 0 }
            let density = Double(lines.map(\.tokenCount).reduce(0, +)) / Double(lines.count)
            #expect(density <= Self.tokensPerLine, "\(folder)")
        }
    }

    /// Limits against growth, in tokens: neither comments, line breaks nor the length of a string
    /// literal count. The core is what one must know to use the rest.
    @Test(arguments: [
        ("SQift", "SQift/", 73_900),
        ("the core", "SQift/(Support|Core|Values|Query)/", 35_800),
        ("sqift-cli", "sqift-cli/", 12_750),
        ("sqift-lint", "sqift-lint/", 36_700),
    ])
    func theSourcesGrowSlowly(name: String, pattern: String, limit: Int) throws {
        let files = try SourceFile.all().filter {
            $0.path.range(of: "^\(pattern)", options: .regularExpression) != nil
        }
        let count = files.flatMap(\.lines).map(\.tokenCount).reduce(0, +)
        #expect(count < limit, "\(name) has \(count) tokens")
        if count * 100 >= limit * 99 {
            print("\(name): \(count) of \(limit) tokens, see Docs/internals/Contributing.md")
        }
    }

    @Test func noResultTypeIsAloneOnItsLine() throws {
        for file in try SourceFile.all() {
            for line in file.lines {
                let code = line.code.drop { $0 == " " }
                if code.hasPrefix("->") || code == "throws" || code.hasPrefix("throws ->") {
                    Issue.record("\(code) in \(file.path):\(line.number)")
                }
            }
        }
    }

    /// A getter or a closure may be, and so may an empty body.
    @Test func noFunctionsBodyIsOnTheLineOfItsBrace() throws {
        for file in try SourceFile.all() {
            for line in file.lines where hasBodyOnItsLine(line.code) {
                Issue.record("\(line.code) in \(file.path):\(line.number)")
            }
        }
    }

    private func hasBodyOnItsLine(_ code: String) -> Bool {
        let words = code.prefix { $0 != "(" && $0 != "{" }.split(separator: " ")
        let name = words.last.map { $0.prefix { $0 != "<" && $0 != "?" } }
        let isFunction = words.contains("func") || words.contains("deinit") || name == "init"
        guard isFunction, code.hasSuffix("}"), let brace = code.firstIndex(of: "{") else {
            return false
        }
        return !code[brace...].dropFirst().dropLast().allSatisfy { $0 == " " }
    }

    /// `(a, b) = (b, a)` exchanges two values; other values get a line each.
    @Test func tuplesAreAssignedOnlyToExchange() throws {
        for file in try SourceFile.all() {
            let tokens = file.tokens
            for index in tokens.indices.dropFirst().dropLast() where tokens[index].text == "=" {
                guard let left = tuple(before: index, in: tokens),
                    let right = tuple(after: index, in: tokens), left.sorted() != right.sorted()
                else { continue }
                Issue.record("\(file.path):\(tokens[index].line)")
            }
        }
    }

    /// The tokens of `(…, …)` before the `=`, nil if that is no tuple, or the type of one.
    private func tuple(before equalSign: Int, in tokens: [SourceToken]) -> [String]? {
        guard tokens[equalSign - 1].text == ")" else { return nil }
        var depth = 0
        var start = equalSign - 1
        repeat {
            depth += ["(": -1, ")": 1][tokens[start].text] ?? 0
            start -= 1
        } while depth > 0 && start >= 0
        guard start >= 0, tokens[start].text != ":", tokens[start].text != ">" else { return nil }
        let content = tokens[(start + 1)..<equalSign].map(\.text)
        return content.contains(",") ? content : nil
    }

    /// The tokens of `(…, …)` after the `=`, nil if that is no tuple.
    private func tuple(after equalSign: Int, in tokens: [SourceToken]) -> [String]? {
        var start = equalSign + 1
        if tokens[start].text == "try" {
            start += 1
        }
        guard start < tokens.count, tokens[start].text == "(" else { return nil }
        var depth = 0
        var isTuple = false
        for (index, token) in tokens[start...].enumerated() {
            depth += ["(": 1, ")": -1, "[": 1, "]": -1, "{": 1, "}": -1][token.text] ?? 0
            isTuple = isTuple || depth == 1 && token.text == ","
            if depth == 0 {
                return isTuple ? tokens[start...(start + index)].map(\.text) : nil
            }
        }
        return nil
    }
}
