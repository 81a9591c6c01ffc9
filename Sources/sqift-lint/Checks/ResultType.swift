/// Finds the type that a call's result must have.
struct ResultType {
    private let declarations: Declarations
    private var file: SourceFile { declarations.file }

    /// Calls that return what their closure returns.
    private static let passing: Set<String> = [
        "read", "write", "writeWithoutTransaction", "transaction", "savepoint", "executeRead",
        "executeWrite", "execute",
    ]
    private static let deepest = 4

    init(_ declarations: Declarations) {
        self.declarations = declarations
    }

    /// The type of the expression between two tokens, or nil if it isn't written.
    func ofExpression(_ start: Int, _ end: Int, depth: Int = 0) -> TypeSyntax? {
        if file[end + 1] == "as", file[end + 2] != "?", file[end + 2] != "!" {
            return file.type(at: end + 2).type
        }
        let isWhole = file.startsLine(end + 1) || file.kind(end + 1) == .closing
        let goesOn = file[end + 1] == "." || file.kind(end + 1) == .sign
        guard depth < ResultType.deepest, isWhole, !goesOn else { return nil }

        var before = start - 1
        while ["try", "await"].contains(file[before])
            || file[before] == "!" && file[before - 1] == "try"
        {
            before -= 1
        }
        if file[before] == "=" {
            return annotation(before: before)
        }
        guard let block = resultBlock(of: before, start, end) else { return nil }
        if let type = declarations.blocks[block]?.result {
            return type
        }
        guard declarations.blocks[block]?.kind == .closure else { return nil }
        var name = block - 1
        if file[name] == ")" {
            name = file.partners[name] - 1
        }
        guard ResultType.passing.contains(file[name]), file[name - 1] == "." else {
            return nil
        }
        let chain = file.chainStart(name)
        return ofExpression(chain, file.partners[block], depth: depth + 1)
    }

    /// The type in `let name: Type =`.
    private func annotation(before equals: Int) -> TypeSyntax? {
        var keyword = equals - 1
        while keyword > max(0, equals - 30), !["let", "var"].contains(file[keyword]) {
            keyword -= 1
        }
        guard file.isName(keyword + 1), file[keyword + 2] == ":" else { return nil }
        let (type, end) = file.type(at: keyword + 3)
        return end == equals ? type : nil
    }

    /// The block whose result the expression is, by `return` or as its only expression.
    private func resultBlock(of before: Int, _ start: Int, _ end: Int) -> Int? {
        let brace = file.parents[start]
        guard brace >= 0, file[brace] == "{" else { return nil }
        if file[before] == "return" {
            return declarations.block(around: start) { $0.kind != .statement }
        }
        let isLast = file.partners[brace] == end + 1
        let isFirst = before == brace || file[before] == "in" && isHead(brace, before)
        return isLast && isFirst ? brace : nil
    }

    /// Whether only the parameters of a closure stand before its `in`.
    private func isHead(_ brace: Int, _ end: Int) -> Bool {
        !(brace + 1..<end).contains { file[$0] == "in" || file.kind($0) == .text }
    }
}
