/// A constant, a variable, or a name that is bound by `if let`, `for` and the like.
struct Variable {
    let name: Cursor
    /// The brace around it.
    let scope: Cursor?
    var type: TypeSyntax?
    /// The sign before its first value.
    var equals: Cursor?
    /// Whether a condition or a pattern binds it.
    var isBound = true
    var isConstant = false
    var isStatic = false
    /// Whether it has a body that computes it.
    var isComputed = false

    /// Whether decoding assigns it, if it is a property.
    var isDecoded: Bool { value == nil || !isConstant }

    /// Where its first value begins.
    var value: Cursor? {
        isBound ? nil : equals.map { $0 + 1 }
    }
}
