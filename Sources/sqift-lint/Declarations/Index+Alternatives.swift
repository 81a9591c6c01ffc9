extension Index {
    /// What the value of an argument may be, as far as that is written: both sides of `a ? b : c`,
    /// or what a constant is assigned later. For all else it is the argument itself.
    func alternatives(of argument: Argument) -> [Argument] {
        if let sides = argument.sides {
            return sides.flatMap(alternatives)
        }
        guard argument.start + 1 == argument.end,
            let variable = variable(argument.start),
            variable.isConstant,
            variable.value == nil,
            variable.type != nil
        else { return [argument] }
        let values = assignments(to: variable)
        return values.isEmpty
            ? [argument]
            : values
    }

    /// Where the array or the dictionary begins that an argument is, by itself or as a constant.
    func list(_ argument: Argument) -> Cursor? {
        let start = argument.start
        if start == "[",
            start.next == argument.end
        {
            return start
        }
        guard start.path.end == argument.end,
            let variable = variable(start.path.names, at: start),
            // Bytes are one value, and so is a binding.
            variable.type.map({ $0 == "[" && $0[1] != "UInt8" }) != false,
            let value = value(of: start.path.names, at: start)
        else { return nil }
        return value == "[" && value.next.endsExpression
            ? value
            : nil
    }

    /// What is assigned to a variable of a function.
    private func assignments(to variable: Variable) -> [Argument] {
        guard variable.scope.block.kind != .type else { return [] }
        let names = variable.scope.content.filter { name in
            name.reads(variable.name.text, "=")
                && name[-1] != "."
                && name != variable.name
        }
        return names.map { name in
            let end = operands(of: name + 2).end
            return Argument(name + 2, end)
        }
    }
}

extension Argument {
    /// What stands on both sides of the colon of `a ? b : c`, which may stand in brackets.
    fileprivate var sides: [Argument]? {
        if start == "(", start.next == end, let inner = start.arguments.only {
            return inner.sides
        }
        let own = (start..<end).filter { $0.parent == start.parent }
        let question = own.first { $0 == "?" && $0[1] != "." && ($0 + 1).kind != .closing }
        guard let question else { return nil }
        let colon = own.first { $0 == ":" && $0.index > question.index }
        return colon.map { [Argument(question + 1, $0), Argument($0 + 1, end)] }
    }
}
