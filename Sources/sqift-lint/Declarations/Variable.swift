/// A constant, a variable, or a name that is bound by `if let`, `for` and the like.
struct Variable {
    let name: Cursor
    /// The brace around it.
    let scope: Cursor?
    var type: TypeSyntax?
    /// Where its first value begins.
    var value: Cursor?
    var isConstant = false
    /// Whether each instance of a type stores it.
    var isStored = false

    /// Whether decoding assigns it, if it is a property.
    var isDecoded: Bool { value == nil || !isConstant }
}
