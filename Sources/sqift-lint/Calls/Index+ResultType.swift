extension Index {
    /// Where the type begins that the result of an expression must have. It is nil if no type is
    /// written.
    func resultType(of start: Cursor, to end: Cursor) -> Cursor? {
        if end == "as" {
            return end + 1
        }
        guard end.endsExpression else { return nil }
        let before = start.beforeTry
        var brace: Cursor?
        switch before.text {
        case "=": return assignedType(before)
        case "return": brace = start.braces.first { $0.block.kind != .statement }
        // The only expression of a block.
        case "{", "in":
            brace =
                start.parent.partner == end
                ? start.parent
                : nil
        default: break
        }
        guard let brace else { return nil }
        let function = brace.callee
        if brace.block.kind == .closure,
            function.isAccess,
            !isForeign(function.text)
        {
            return resultType(of: function.chainStart, to: brace.next)
        }
        return brace.block.result
    }

    /// The type of what gets a value by a sign: a new variable, a variable or a property.
    private func assignedType(_ sign: Cursor) -> Cursor? {
        if let new = sign.assigned {
            return new.type
        }
        let name = sign - 1
        guard name.isName else { return nil }
        if name[-1] != "." {
            return variable(name)?.type
        }
        return typeName(of: name.chainStart, to: name - 1)
            .flatMap(type)
            .flatMap { $0.variable(named: name.text)?.type }
    }
}

extension Cursor {
    /// Calls that return what their closure returns.
    private static let passing =
        "read write writeWithoutTransaction transaction savepoint executeRead executeWrite execute"
        .words

    /// Calls that don't.
    private static let handing = "values prepareConnections rehearse".words

    /// Whether a call with this name hands a connection to its closure.
    var handsConnection: Bool {
        isAccess
            || self[-1] == "." && Cursor.handing.contains(text)
    }

    /// Whether a call with this name hands a connection to its closure, and returns its result.
    var isAccess: Bool {
        self[-1] == "." && Cursor.passing.contains(text)
    }
}
