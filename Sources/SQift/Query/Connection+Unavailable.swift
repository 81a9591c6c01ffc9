// The compiler's messages for the mistakes that a newcomer makes first. The compiler looks at
// unavailable declarations only if nothing else fits, so a call that compiles neither changes nor
// takes longer. Without these it often can't say what is wrong at all.
//
// A declaration with the same signature as one that can be called has one more parameter,
// `because`, which no call passes. Without it, if a caller's own protocol requires a method with
// that signature, the compiler couldn't tell which of the two is the witness.

// MARK: Parameters

@available(
    *,
    unavailable,
    message: """
        a value's type needs Binding, as in enum Fuel: String, Binding; a list needs ArrayBinding \
        and json_each(?), a dictionary DictionaryBinding
        """
)
extension Connection {
    /// Explains a parameter whose type can't be bound.
    public func run(_ sql: SQL, _ parameters: (any Hashable)?...) throws {
        neverCalled()
    }

    /// Explains a parameter whose type can't be bound.
    public func prepare(_ sql: SQL, _ parameters: (any Hashable)?...) throws -> Statement {
        neverCalled()
    }

    /// Explains a parameter whose type can't be bound.
    public func query<Result: QueryResult>(
        _ sql: SQL,
        _ parameters: (any Hashable)?...
    ) throws -> Result {
        neverCalled()
    }

    /// Explains a parameter whose type can't be bound.
    public func query(_ sql: SQL, _ parameters: (any Hashable)?...) throws -> Row? {
        neverCalled()
    }
}

@available(
    *,
    unavailable,
    message: """
        a value's type needs Binding, as in enum Fuel: String, Binding; a list needs ArrayBinding \
        and json_each(?), a dictionary DictionaryBinding
        """
)
extension Statement {
    /// Explains a parameter whose type can't be bound.
    @discardableResult public func bind(_ parameters: (any Hashable)?...) throws -> Statement {
        neverCalled()
    }
}

@available(
    *,
    unavailable,
    message: "values of Any can't be bound; the dictionary's type is [String: (any Bindable)?]"
)
extension Connection {
    /// Explains named parameters of any type.
    @discardableResult public func run(_ sql: SQL, _ parameters: [String: Any]) throws -> Int {
        neverCalled()
    }

    /// Explains named parameters of any type.
    public func prepare(_ sql: SQL, _ parameters: [String: Any]) throws -> Statement {
        neverCalled()
    }

    /// Explains named parameters of any type.
    public func query<Result: QueryResult>(
        _ sql: SQL,
        _ parameters: [String: Any]
    ) throws -> Result {
        neverCalled()
    }
}

@available(
    *,
    unavailable,
    message: "values of Any can't be bound; the dictionary's type is [String: (any Bindable)?]"
)
extension Statement {
    /// Explains named parameters of any type.
    @discardableResult public func bind(_ parameters: [String: Any]) throws -> Statement {
        neverCalled()
    }
}

// MARK: Results

extension Connection {
    /// Explains a type that no result can be read as.
    @available(
        *,
        unavailable,
        message: "a result is T, T?, [T] or [Key: Value]; T needs Binding or ExpressibleByRow"
    )
    public func query<Result>(
        _ sql: SQL,
        _ parameters: (any Bindable)?...,
        because: Never? = nil
    ) throws -> Result {
        neverCalled()
    }

    /// Explains a loop over a query that doesn't say what its result is.
    @available(
        *,
        unavailable,
        message: "without a type this is a Row?, the first row; for all: query(…) as [Row]"
    )
    public func query(
        _ sql: SQL,
        _ parameters: (any Bindable)?...,
        because: Never? = nil
    ) throws -> [Row] {
        neverCalled()
    }

    /// Explains a type that is no tuple of columns, in the argument that reads tuples.
    @available(
        *,
        unavailable,
        message: """
            as: reads tuples, as in (String, Int).self; for rows of a type of your own name the \
            result's type: let cars: [Car] = try connection.query(…)
            """
    )
    public func query<T>(
        _ sql: SQL,
        _ parameters: (any Bindable)?...,
        as type: T.Type,
        because: Never? = nil
    ) throws -> [T] {
        neverCalled()
    }

    /// Explains a closure whose values don't make up the result, or a parameter beside it.
    @available(
        *,
        unavailable,
        message: """
            a closure of T makes a T? or a [T], and a closure of (Key, Value) makes a \
            [Key: Value]; the values beside it need Binding
            """
    )
    public func query<T, Result>(
        _ sql: SQL,
        _ parameters: (any Hashable)?...,
        body: (Row) throws -> T
    ) throws -> Result {
        neverCalled()
    }
}

extension Row {
    /// Explains a column, by index or by name, that is read without a type.
    @available(
        *,
        unavailable,
        message: "name the type: let name: String = try row.get(…); your own types need Binding"
    )
    public func get<Column>(_ column: Column, because: Never? = nil) throws -> Any? {
        neverCalled()
    }
}

/// The body of declarations that no code can call.
private func neverCalled() -> Never {
    trap("a declaration that is unavailable was called")
}
