/// A type as it is written.
indirect enum TypeSyntax: Equatable {
    /// With dots, if it has an outer type: `Garage.Car`.
    case named(String)
    case optional(TypeSyntax)
    case array(TypeSyntax)
    case dictionary(TypeSyntax, TypeSyntax)
    case tuple([TypeSyntax])
    /// What isn't looked at: functions, generic types, and what can't be parsed.
    case other

    var isOptional: Bool {
        if case .optional = self { true } else { false }
    }

    /// Without any `?`.
    var unwrapped: TypeSyntax {
        if case .optional(let type) = self { type.unwrapped } else { self }
    }

    /// The last part of a name: `Car` of `Garage.Car`.
    var name: String? {
        guard case .named(let name) = unwrapped else { return nil }
        return name.split(separator: ".").last.map(String.init)
    }
}

extension SourceFile {
    /// The type that begins at a token, and the index after it.
    func type(at start: Int) -> (type: TypeSyntax, end: Int) {
        var index = start
        while ["some", "any", "inout", "borrowing", "consuming", "sending"].contains(self[index])
            || self[index].hasPrefix("@")
        {
            index += 1
        }
        var (type, end) = typeWithoutSuffix(at: index)
        while self[end] == "?" || self[end] == "!" || self[end] == "??" {
            type = .optional(type)
            end += 1
        }
        let isFunction = self[end] == "->" || self[end + 1] == "->" && isName(end)
        return isFunction || self[end] == "&" ? (.other, end) : (type, end)
    }

    private func typeWithoutSuffix(at index: Int) -> (type: TypeSyntax, end: Int) {
        switch self[index] {
        case "[":
            let (first, colon) = type(at: index + 1)
            let close = partners[index]
            if colon == close {
                return (.array(first), next(index))
            }
            let (second, end) = type(at: colon + 1)
            let isDictionary = self[colon] == ":" && end == close
            return (isDictionary ? .dictionary(first, second) : .other, next(index))
        case "(":
            let parts = arguments(index).map { argument in
                let (type, end) = type(at: argument.first)
                return end == argument.range.upperBound ? type : TypeSyntax.other
            }
            return (parts.count == 1 ? parts[0] : .tuple(parts), next(index))
        default:
            guard isName(index) else { return (.other, index + 1) }
            return namedType(at: index)
        }
    }

    private func namedType(at start: Int) -> (type: TypeSyntax, end: Int) {
        var name = self[start]
        var end = start + 1
        while self[end] == ".", isName(end + 1), self[end + 1] != "self", self[end + 1] != "Type" {
            name += "." + self[end + 1]
            end += 2
        }
        guard self[end] == "<" else { return (.named(name), end) }
        var depth = 0
        while tokens.indices.contains(end) {
            depth += self[end] == "<" ? 1 : self[end] == ">" ? -1 : 0
            end = next(end)
            if depth == 0 {
                break
            }
        }
        return (.other, end)
    }
}
