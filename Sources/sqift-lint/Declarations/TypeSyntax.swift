/// A type as it is written.
indirect enum TypeSyntax: Equatable {
    /// Without its outer types.
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

    /// The name, also of what is optional.
    var name: String? {
        switch self {
        case .named(let name): name
        case .optional(let type): type.name
        case .array: "Array"
        default: nil
        }
    }
}

extension Argument {
    /// The type that it is.
    var type: TypeSyntax {
        let last = end - 1
        if last.index > start.index, last == "?" || last == "!" {
            return .optional(Argument(start, last).type)
        }
        guard start.kind == .opening, start.partner == last else {
            let isNamed = tokens.allSatisfy { $0.isName || $0 == "." }
            return isNamed ? .named(last.text) : .other
        }
        let parts = start.arguments
        guard start == "[" else {
            return parts.count == 1
                ? parts[0].type
                : .tuple(parts.map(\.type))
        }
        let element = parts.first?.type ?? .other
        guard let key = parts.first?.label else {
            return .array(element)
        }
        return .dictionary(.named(key), element)
    }
}

extension Cursor {
    /// The type that begins here.
    var type: TypeSyntax { Argument(self, typeEnd).type }

    /// `Car`, if `Car(…)` begins here.
    var madeType: TypeSyntax? {
        let isMade =
            typeEnd == "("
            && type.name?.first?.isUppercase == true
        return isMade ? type : nil
    }

    /// The token after the type that begins here.
    var typeEnd: Cursor {
        var end = after(["some", "any", "inout"]).next
        if end == "<", let close = end.first(">") {
            end = close + 1
        }
        end = end.after(["?", "!"])
        let isMember =
            end == "."
            && !["self", "Type"].contains(end[1])
        let rest =
            isMember
            ? end + 1
            : end.after(["async", "throws", "->", "&"])
        return rest == end ? end : rest.typeEnd
    }

    /// The types of the parameters in these brackets, by the names that the body uses.
    var parameters: [String: TypeSyntax] {
        arguments.reduce(into: [:]) { parameters, argument in
            let type = argument.label.map { _ in argument.start.type }
            parameters[argument.label ?? argument.start.text] = type ?? .other
        }
    }
}
