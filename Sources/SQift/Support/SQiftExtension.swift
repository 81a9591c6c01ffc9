/// SQift's additions to a type, kept apart from the type's own members.
public struct SQiftExtension<Base> {
    let base: Base
}

extension String {
    /// SQift's additions to strings.
    public var sqift: SQiftExtension<String> { SQiftExtension(base: self) }
}

extension SQiftExtension<String> {
    /// The string as an SQL literal: in single quotes, with the quotes inside it doubled.
    ///
    /// Pass values as parameters. Use this only if SQLite takes no parameter there, such as in a
    /// DEFAULT clause.
    ///
    /// SQLite: [Literal Values
    /// (Constants)](https://sqlite.org/lang_expr.html#literal_values_constants_)
    public func addingSQLEscapes() -> String {
        base.quotedAsLiteral
    }

    /// The string as an SQL identifier: in double quotes, with the quotes inside it doubled.
    ///
    /// SQLite: [SQLite Keywords](https://sqlite.org/lang_keywords.html)
    public var quotedIdentifier: String { base.quotedAsIdentifier }
}
