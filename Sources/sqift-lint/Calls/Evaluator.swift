/// Finds the texts that expressions of literals and constants have.
struct Evaluator {
    let index: Index

    private static let deepest = 6

    /// The text of an expression, or nil if it isn't made of literals, constants and `+`.
    func text(of range: Range<Int>, in declarations: Declarations) -> SQLText? {
        guard let (text, end) = sum(at: range.lowerBound, in: declarations, depth: 0),
            end == range.upperBound
        else { return nil }
        return text
    }

    /// The same for a text without holes.
    func constant(_ range: Range<Int>, in declarations: Declarations) -> String? {
        text(of: range, in: declarations).flatMap { $0.isConstant ? $0.string : nil }
    }

    private func sum(
        at start: Int,
        in declarations: Declarations,
        depth: Int
    ) -> (text: SQLText, end: Int)? {
        var result = SQLText()
        var index = start
        while true {
            guard let (text, end) = term(at: index, in: declarations, depth: depth) else {
                return nil
            }
            result.append(text)
            guard declarations.file[end] == "+" else { return (result, end) }
            index = end + 1
        }
    }

    private func term(
        at start: Int,
        in declarations: Declarations,
        depth: Int
    ) -> (text: SQLText, end: Int)? {
        let file = declarations.file
        if let literal = file.literal(start) {
            let isMember = file[start + 1] == "."
            let text = text(of: literal, at: start, in: declarations, depth: depth)
            return isMember ? nil : (text, start + 1)
        }
        if file[start] == "(" {
            let close = file.partners[start]
            let inner = sum(at: start + 1, in: declarations, depth: depth)
            return inner.flatMap { $0.end == close ? ($0.text, close + 1) : nil }
        }
        guard let (path, end) = path(at: start, in: file), file[end] != "(",
            file[end] != "[" || file.startsLine(end)
        else { return nil }
        return value(of: path, at: start, in: declarations, depth: depth).map { ($0, end) }
    }

    private func text(
        of literal: StringLiteral,
        at token: Int,
        in declarations: Declarations,
        depth: Int
    ) -> SQLText {
        var result = SQLText()
        var copied = 0
        for hole in literal.holes {
            result.append(literal, copied..<hole.position, of: declarations.file)
            copied = hole.position
            let expression = declarations.file.text(in: hole.source).trimmed
            let path = expression.split(separator: ".", omittingEmptySubsequences: false)
            let isPath = path.allSatisfy { $0.utf8.allSatisfy(\.isWord) }
            let value =
                isPath
                ? value(of: path.map(String.init), at: token, in: declarations, depth: depth) : nil
            if let value {
                result.append(value)
            } else {
                result.appendHole(expression)
            }
        }
        result.append(literal, copied..<literal.bytes.count, of: declarations.file)
        return result
    }

    private func value(
        of path: [String],
        at token: Int,
        in declarations: Declarations,
        depth: Int
    ) -> SQLText? {
        guard depth < Evaluator.deepest,
            let (file, variable) = index.variable(path, in: declarations, at: token),
            let value = variable.value,
            let (text, end) = sum(at: value, in: file, depth: depth + 1)
        else { return nil }
        let isWhole =
            file.file.startsLine(end) || file.file[end] == ";"
            || file.file.kind(end) == .closing
        return isWhole && file.file[end] != "." ? text : nil
    }

    /// The names of `a.b.c`, or `.c` with an empty first name, and the index after them.
    func path(at start: Int, in file: SourceFile) -> (names: [String], end: Int)? {
        var names = [file.isName(start) ? file[start] : ""]
        var index = file.isName(start) ? start + 1 : start
        while file[index] == ".", file.isName(index + 1) {
            names.append(file[index + 1])
            index += 2
        }
        return index > start ? (names, index) : nil
    }
}
