// Types as they are written.
extension Argument {
    var isOptional: Bool {
        bracketed?.isOptional
            ?? (tokens.count > 1 && ["?", "!"].contains(end[-1]))
    }

    /// The type that stands alone in brackets: `Int?` in `(Int?)`.
    private var bracketed: Argument? {
        start == "(" && elements.count == 1 ? elements[0] : nil
    }

    /// What a type in brackets is made of.
    var elements: [Argument] {
        start.partner == end - 1 ? start.arguments : []
    }

    /// The last name of the type, or the bracket of an array, also of what is optional. It is nil
    /// for what isn't looked at: functions, tuples, dictionaries, generic types, and what can't be
    /// parsed.
    var typeName: Cursor? {
        if let bracketed {
            return bracketed.typeName
        }
        if isOptional {
            return Argument(start, end - 1).typeName
        }
        if let element = elements.first {
            return start == "[" && element.label == nil ? start : nil
        }
        let isNamed = tokens.allSatisfy {
            $0.isName || $0 == "."
        }
        return isNamed ? end - 1 : nil
    }
}

extension Cursor {
    /// The type that begins here.
    var type: Argument { Argument(self, typeEnd) }

    /// `Car`, if `Car(…)` begins here.
    var madeType: Argument? {
        let isMade =
            typeEnd == "("
            && type.typeName?.text.first?.isUppercase == true
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
