/// A constant, a variable, a parameter, or a name that is bound by `if let`, `for` and the like.
struct Variable {
    let name: Cursor
    /// The brace around it, which is outside of the file if there is none.
    let scope: Cursor
    /// Where its type begins.
    var type: Cursor?
    /// Where its first value begins.
    var value: Cursor?
    var isConstant = false
    /// Whether it replaces one of a superclass.
    var isOverride = false
    /// Whether it is an element of its value, as in `for element in value`.
    var isElement = false
    /// Whether each instance of a type stores it.
    var isStored = false
    /// For a parameter, the brace of its function or its closure.
    var function: Cursor?
}
