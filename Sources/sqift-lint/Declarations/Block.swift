/// Code between braces.
struct Block {
    enum Kind {
        /// The body of a type or of an extension.
        case type
        /// The body of a function, an initialiser or a variable.
        case function
        case closure
        /// The body of `if`, `for`, `do` and the like.
        case statement
        /// What is no brace.
        case other
    }

    var kind = Kind.other
    /// The name of a type, without its outer types, or of a function.
    var name = ""
    /// Those of a function or a closure.
    var parameters: [Argument] = []
    /// Where the result type of a function begins, or the type of a variable.
    var result: Cursor?
    /// For a type `struct`, `extension` and so on.
    var keyword = ""
    var typeName: Cursor?
    var conformances: [Cursor] = []
}
