/// A Swift file, or a file of SQL, whose tokens are then empty.
final class SourceFile {
    let path: String
    let bytes: [UInt8]
    let tokens: [Token]
    let comments: [Comment]
    /// Whether every literal and every bracket has its end. If not, the file isn't judged.
    let isWhole: Bool
    private let literals: [StringLiteral]
    /// For a bracket, the index of the one that belongs to it, or -1.
    let partners: [Int]
    /// For each token, the index of the bracket around it, or -1.
    let parents: [Int]
    private let lineStarts: [Int]

    init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
        let lexer = path.hasSuffix(".swift") ? Lexer(bytes) : Lexer([])
        tokens = lexer.tokens
        literals = lexer.literals
        comments = lexer.comments
        lineStarts = [0] + bytes.indices.filter { bytes[$0] == .newline }.map { $0 + 1 }

        let tokens = tokens
        var partners = Array(repeating: -1, count: tokens.count)
        var parents = partners
        var open: [Int] = []
        var isWhole = lexer.isWhole
        for (index, token) in tokens.enumerated() {
            if token.kind == .closing {
                let isPair = open.last.map { SourceFile.pairs[tokens[$0].text] == token.text }
                if isPair == true, let opening = open.popLast() {
                    partners[opening] = index
                    partners[index] = opening
                } else {
                    isWhole = false
                }
            }
            parents[index] = open.last ?? -1
            if token.kind == .opening {
                open.append(index)
            }
        }
        self.isWhole = isWhole && open.isEmpty
        self.partners = partners
        self.parents = parents
    }

    private static let pairs = ["(": ")", "[": "]", "{": "}"]

    /// The line, and the column in bytes, both from 1.
    func position(of offset: Int) -> (line: Int, column: Int) {
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return (low + 1, offset - lineStarts[low] + 1)
    }

    func line(of offset: Int) -> Int {
        position(of: offset).line
    }

    /// The text of the bytes in the file.
    func text(in range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    // MARK: Tokens, of which those outside the file are empty

    subscript(_ index: Int) -> String {
        tokens.indices.contains(index) ? tokens[index].text : ""
    }

    func kind(_ index: Int) -> Token.Kind? {
        tokens.indices.contains(index) ? tokens[index].kind : nil
    }

    func isName(_ index: Int) -> Bool {
        kind(index) == .name
    }

    func startsLine(_ index: Int) -> Bool {
        !tokens.indices.contains(index) || tokens[index].startsLine
    }

    /// The literal, or nil if the token isn't one.
    func literal(_ index: Int) -> StringLiteral? {
        kind(index) == .text ? literals[tokens[index].literal] : nil
    }

    /// The literal's text, or nil if it isn't a literal without interpolations.
    func plainText(_ index: Int) -> String? {
        literal(index).flatMap { $0.holes.isEmpty ? $0.string : nil }
    }

    /// The tokens between an opening bracket and its partner.
    func content(of opening: Int) -> Range<Int> {
        opening + 1..<max(opening + 1, partners[opening])
    }

    /// The index after a token, or after the bracket that it opens.
    func next(_ index: Int) -> Int {
        kind(index) == .opening ? max(partners[index], index) + 1 : index + 1
    }

    /// The indices of the braces around a token, innermost first.
    func braces(around index: Int) -> [Int] {
        var result: [Int] = []
        var parent = parents.indices.contains(index) ? parents[index] : -1
        while parent >= 0 {
            if tokens[parent].text == "{" {
                result.append(parent)
            }
            parent = parents[parent]
        }
        return result
    }

    /// Whether a brace, or the whole file for -1, is around a token.
    func isInside(_ index: Int, _ brace: Int) -> Bool {
        brace < 0 || brace < index && index < partners[brace]
    }

    /// The lines that a comment is about: the next declaration, or the file if that is an import.
    func lines(after comment: Comment) -> ClosedRange<Int> {
        let first = tokens.firstIndex { $0.range.lowerBound > comment.offset } ?? tokens.count
        let brace = tokens.indices.dropFirst(first).first { self[$0] == "{" }
        guard let brace, self[first] != "import" else { return 1...lineStarts.count }
        return line(of: comment.offset)...line(of: tokens[partners[brace]].range.lowerBound)
    }

    /// A name for a token that no other file has.
    func key(_ token: Int) -> String {
        "\(path):\(token)"
    }

    // MARK: Lists

    /// What the commas between a bracket and its partner divide.
    func arguments(_ opening: Int) -> [Argument] {
        guard kind(opening) == .opening else { return [] }
        var result: [Argument] = []
        let content = content(of: opening)
        var start = content.lowerBound
        var index = start
        while index <= content.upperBound {
            if index == content.upperBound || self[index] == "," {
                if index > start {
                    result.append(argument(start..<index))
                }
                start = index + 1
            }
            index = next(index)
        }
        return result
    }

    private func argument(_ range: Range<Int>) -> Argument {
        let first = range.lowerBound
        let hasLabel = range.count > 2 && isName(first) && self[first + 1] == ":"
        return hasLabel
            ? Argument(label: self[first], range: first + 2..<range.upperBound)
            : Argument(label: nil, range: range)
    }

    /// Where the chain of members and calls begins that ends with this name: `a` of `a.b(1)?.c`.
    func chainStart(_ name: Int) -> Int {
        var index = name
        while self[index - 1] == ".", index >= 2 {
            index -= 2
            while index > 0, self[index] == "?" || self[index] == "!" {
                index -= 1
            }
            while kind(index) == .closing {
                index = partners[index]
                if isName(index - 1) || kind(index - 1) == .closing, !startsLine(index) {
                    index -= 1
                } else {
                    break
                }
            }
        }
        return index
    }
}

/// An argument of a call, an element of an array, or an entry of a dictionary.
struct Argument {
    let label: String?
    /// Its tokens.
    let range: Range<Int>

    var first: Int { range.lowerBound }
}
