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

extension Cursor {
    private static let modifiers: Set<String> = [
        "some", "any", "inout", "borrowing", "consuming", "sending",
    ]

    /// The type that begins here, after which the cursor then is.
    mutating func takeType() -> TypeSyntax {
        while Cursor.modifiers.contains(text)
            || text.hasPrefix("@")
        {
            self += 1
        }
        var type = takeTypeWithoutSuffix()
        while ["?", "!", "??"].contains(text) {
            type = .optional(type)
            self += 1
        }
        let isFunction = text == "->" || isName && self[1] == "->"
        return isFunction || text == "&" ? .other : type
    }

    private mutating func takeTypeWithoutSuffix() -> TypeSyntax {
        guard kind == .opening else {
            return takeNamedType()
        }
        let bracket = self
        self = next
        switch bracket.text {
        case "[": return bracket.collectionType
        case "(":
            let parts = bracket.arguments.map(\.type)
            return parts.count == 1
                ? parts[0]
                : .tuple(parts)
        default:
            self = bracket + 1
            return .other
        }
    }

    /// `[Int]` or `[String: Int]`, of which this is the bracket.
    private var collectionType: TypeSyntax {
        var cursor = self + 1
        let first = cursor.takeType()
        if cursor == partner {
            return .array(first)
        }
        guard cursor == ":" else { return .other }
        cursor += 1
        let second = cursor.takeType()
        return cursor == partner ? .dictionary(first, second) : .other
    }

    private mutating func takeNamedType() -> TypeSyntax {
        var name = text
        let isType = isName
        self += 1
        guard isType else { return .other }
        while text == ".",
            (self + 1).isName,
            !["self", "Type"].contains(self[1])
        {
            name = self[1]
            self += 2
        }
        guard text == "<" else { return .named(name) }
        var depth = 0
        repeat {
            depth += text == "<" ? 1 : text == ">" ? -1 : 0
            self = next
        } while depth > 0 && kind != .outside
        return .other
    }
}

extension Argument {
    /// The type that it is, if it is nothing else.
    var type: TypeSyntax {
        var cursor = start
        let type = cursor.takeType()
        return cursor == end ? type : .other
    }
}
