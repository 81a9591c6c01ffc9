// Types as they are written.
extension Argument {
    var isOptional: Bool {
        tokens.count > 1
            && (end[-1] == "?" || end[-1] == "!")
    }

    /// What a type in brackets is made of.
    var elements: [Argument] {
        start.kind == .opening && start.partner == end - 1
            ? start.arguments
            : []
    }

    /// The name of the type without its outer types, also of what is optional. It is nil for what
    /// isn't looked at: functions, tuples, generic types, and what can't be parsed.
    var typeName: String? {
        if isOptional {
            return Argument(start, end - 1).typeName
        }
        guard let first = elements.first else {
            let isNamed = tokens.allSatisfy { $0.isName || $0 == "." }
            return isNamed ? end[-1] : nil
        }
        if start == "[" {
            return first.label == nil ? "Array" : "Dictionary"
        }
        return elements.count == 1 ? first.typeName : nil
    }
}

extension Cursor {
    /// The type that begins here.
    var type: Argument { Argument(self, typeEnd) }

    /// `Car`, if `Car(…)` begins here.
    var madeType: Argument? {
        let isMade =
            typeEnd == "("
            && type.typeName?.first?.isUppercase == true
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
}
