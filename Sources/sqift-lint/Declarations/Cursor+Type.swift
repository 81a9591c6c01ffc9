/// Types as they are written, by the tokens that they begin with.
extension Cursor {
    var typeTokens: [Cursor] { self..<typeEnd }

    /// Whether the type that begins here is optional.
    var isOptional: Bool {
        ["?", "??", "!"].contains(typeTokens.last { $0 != ")" }?.text)
    }

    /// The last name of the type, or the bracket of an array, also of what is optional. It is nil
    /// for what isn't looked at: functions, tuples, dictionaries, generic types, and what can't be
    /// parsed.
    var typeName: Cursor? {
        let core = typeTokens.filter {
            !["(", ")", "?", "??", "!"].contains($0.text)
        }
        let isNamed = core.allSatisfy { $0.isName || $0 == "." }
        let isArray =
            core.first?.text == "["
            && core.first?.partner == core.last
            && !core.contains { $0 == ":" }
        return isNamed ? core.last : isArray ? core.first : nil
    }

    /// `Car`, if `Car(…)` begins here.
    var madeType: Cursor? {
        typeEnd == "("
            && typeName?.text.first?.isUppercase == true
            ? typeName
            : nil
    }

    private static let modifiers = "some any inout borrowing consuming sending isolated".words

    /// The token after the type that begins here.
    var typeEnd: Cursor {
        var end = after(Cursor.modifiers).next
        if end == "<" {
            end = end.first(">").after([">"])
        }
        end = end.after(["?", "??", "!"])
        let rest =
            end.reads(".", "self")
            ? end
            : end.after([".", "async", "throws", "->", "&"])
        return rest == end
            ? end
            : rest.typeEnd
    }
}
