/// Code between braces.
struct Block {
    enum Kind: Equatable {
        /// The body of a type or of an extension, with the type's name.
        case type(String)
        /// The body of a function, an initialiser or a variable, with its name.
        case function(String)
        case closure
        /// The body of `if`, `for`, `do` and the like.
        case statement
    }

    var kind: Kind
    /// The types of a function's or a closure's parameters, by name.
    var parameters: [String: TypeSyntax] = [:]
    /// The result of a function, or the type of a variable.
    var result: TypeSyntax?

    var typeName: String? {
        if case .type(let name) = kind { name } else { nil }
    }

    var functionName: String? {
        if case .function(let name) = kind { name } else { nil }
    }
}

/// A constant, a variable, or a name that is bound by `if let`, `for` and the like.
struct Variable {
    let name: String
    /// The token of the name.
    let token: Int
    let type: TypeSyntax?
    /// The token at which the value of a `let` begins, unless it is bound by a condition.
    let value: Int?
    /// The brace around it, or -1.
    let scope: Int
    let isConstant: Bool
    let isStatic: Bool
    /// Whether it has a body that computes it.
    let isComputed: Bool
    let hasDefault: Bool
    let hasWrapper: Bool
}

/// The head of a type or of an extension.
struct TypeHead {
    /// `struct`, `extension` and so on.
    let keyword: String
    let name: String
    let token: Int
    /// The brace of its body.
    let body: Int
    let conformances: [String]
}
