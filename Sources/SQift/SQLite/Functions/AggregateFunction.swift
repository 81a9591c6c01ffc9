/// A function of the rows of a group. SQLite makes one for each group, steps it through the rows,
/// and asks for the result.
///
/// ```swift
/// struct Product: AggregateFunction {
///     var product = 1.0
///
///     mutating func step(_ arguments: Row) throws {
///         product *= try arguments.get(0) as Double
///     }
///
///     func finalize() -> Double { product }
/// }
///
/// try connection.addAggregateFunction(named: "product", argumentCount: 1, Product.self)
/// let factorial: Double = try connection.query("SELECT product(n) FROM numbers")
/// ```
///
/// SQLite: [The Aggregate Function
/// Callbacks](https://sqlite.org/appfunc.html#the_aggregate_function_callbacks)
public protocol AggregateFunction {
    /// The type of the result; an optional if it may be NULL.
    associatedtype Value: Bindable

    /// Makes the state for an empty group.
    init()

    /// Adds a row to the group.
    ///
    /// - Parameter arguments: The function's arguments as a row, valid during the call:
    ///   `arguments.get(0)` is the first.
    /// - Throws: An error, which becomes the statement's error.
    mutating func step(_ arguments: Row) throws

    /// Returns the result for the rows that were added, which may be none. If the statement ends
    /// early, the result isn't used.
    ///
    /// - Throws: An error, which becomes the statement's error.
    mutating func finalize() throws -> Value
}

/// An aggregate that can also be used with `OVER`: it removes the rows that leave the window's
/// frame.
///
/// SQLite: [User-Defined Aggregate Window
/// Functions](https://sqlite.org/windowfunctions.html#udfwinfunc)
public protocol WindowFunction: AggregateFunction {
    /// The type of the result; an optional if it may be NULL.
    associatedtype Value

    /// Removes the oldest of the rows that have been added and not yet removed.
    ///
    /// - Parameter arguments: The arguments that the row was added with.
    /// - Throws: An error, which becomes the statement's error.
    mutating func inverse(_ arguments: Row) throws

    /// Returns the result for the rows that are in the group, which may be none. More rows can be
    /// added and removed later.
    ///
    /// - Throws: An error, which becomes the statement's error.
    func value() throws -> Value
}

extension WindowFunction {
    /// Returns what ``value()`` does, which is the result for the whole group.
    public func finalize() throws -> Value {
        try value()
    }
}
