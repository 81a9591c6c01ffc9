extension Call {
    /// Calls that return what their closure returns.
    private static let passing: Set<String> = [
        "read",
        "write",
        "writeWithoutTransaction",
        "transaction",
        "savepoint",
        "executeRead",
        "executeWrite",
        "execute",
    ]

    /// The type that the result must have, or nil if it isn't written.
    var resultType: TypeSyntax? {
        type(ofExpression: name.chainStart, end, 0)
    }

    private func type(ofExpression start: Cursor, _ last: Cursor, _ depth: Int) -> TypeSyntax? {
        let end = last + 1
        if end == "as",
            end[1] != "?",
            end[1] != "!"
        {
            return (end + 1).type
        }
        guard depth < 4,
            end.endsExpression,
            end != ";"
        else { return nil }
        let before = start.beforeTry
        if before == "=" {
            return before.file.assignments[before.index]?.type
        }
        guard let brace = resultBlock(before, start, last),
            let block = brace.block
        else {
            return nil
        }
        let function = brace.callee
        guard block.result == nil,
            block.kind == .closure,
            function[-1] == ".",
            Call.passing.contains(function.text)
        else { return block.result }
        return type(ofExpression: function.chainStart, brace.partner, depth + 1)
    }

    /// The block whose result the expression is, by `return` or as its only expression.
    private func resultBlock(_ before: Cursor, _ start: Cursor, _ last: Cursor) -> Cursor? {
        if before == "return" {
            return start.braces.first { $0.block?.kind != .statement }
        }
        let isFirst = before == "{" || before == "in"
        return isFirst ? start.parent.flatMap { $0.partner == last + 1 ? $0 : nil } : nil
    }
}
