import Foundation

// Functions as SQift 5.1 had them. `addFunction` has typed arguments, and can throw.
extension Connection {
    /// A function of a context and its arguments.
    public typealias ScalarFunction = (ScalarFunctionContext, [FunctionValue]) -> FunctionResult
    /// Makes the object that an aggregate keeps for a group.
    public typealias AggregateContextObjectFactory = () -> AnyObject
    /// Adds a row to the group.
    public typealias AggregateStepFunction = (AggregateFunctionContext, [FunctionValue]) -> Void
    /// Returns the result for the group.
    public typealias AggregateFinalFunction = (AggregateFunctionContext) -> FunctionResult

    /// Adds an SQL function, or replaces the one with that name and number of arguments.
    ///
    /// - Parameters:
    ///   - name: The name, of at most 255 bytes of UTF-8.
    ///   - argumentCount: The number of arguments, negative for any number.
    ///   - deterministic: Whether equal arguments always give the same result, which indexes
    ///     demand.
    ///   - function: The function. Its parameters are valid during the call.
    /// - Throws: The same as `addFunction`.
    ///
    /// SQLite: [sqlite3_create_function](https://sqlite.org/c3ref/create_function.html)
    public func addScalarFunction(
        named name: String,
        argumentCount: Int8,
        deterministic: Bool = false,
        function: @escaping ScalarFunction
    ) throws {
        let box = FunctionBox(name: name) { context in
            let scalar = ScalarFunctionContext(auxiliaryData: .init(arguments: context.arguments))
            try context.setResult(function(scalar, context.functionValues).value)
        }
        try addFunction(
            box,
            argumentCount: argumentCount,
            deterministic: deterministic
        )
    }

    /// Adds an aggregate function, or replaces the one with that name and number of arguments.
    ///
    /// - Parameters:
    ///   - name: The name, of at most 255 bytes of UTF-8.
    ///   - argumentCount: The number of arguments, negative for any number.
    ///   - deterministic: Whether equal arguments always give the same result.
    ///   - contextObjectFactory: Makes the object that the context keeps for a group.
    ///   - stepFunction: Called for each row of a group.
    ///   - finalFunction: Called at the group's end, even if the group has no rows or the statement
    ///     ends early.
    /// - Throws: The same as `addFunction`.
    ///
    /// SQLite: [sqlite3_create_function](https://sqlite.org/c3ref/create_function.html)
    public func addAggregateFunction(
        named name: String,
        argumentCount: Int8,
        deterministic: Bool = false,
        contextObjectFactory: @escaping AggregateContextObjectFactory,
        stepFunction: @escaping AggregateStepFunction,
        finalFunction: @escaping AggregateFinalFunction
    ) throws {
        func aggregate(_ context: FunctionContext) -> AggregateFunctionContext {
            AggregateFunctionContext(
                arguments: context.arguments,
                makeObject: contextObjectFactory
            )
        }
        let box = FunctionBox(
            name: name,
            step: { context in stepFunction(aggregate(context), context.functionValues) },
            finalize: { context in
                try context.setResult(finalFunction(aggregate(context)).value)
            }
        )
        try addFunction(
            box,
            argumentCount: argumentCount,
            deterministic: deterministic
        )
    }

    /// The result of a function.
    public enum FunctionResult: Sendable, Hashable {
        /// No value: NULL.
        case null
        /// An INTEGER of 32 bits.
        case integer(Int32)
        /// An INTEGER of 64 bits.
        case long(Int64)
        /// A REAL; NaN is an error.
        case double(Double)
        /// A TEXT with its NUL bytes.
        case text(String)
        /// A date as a TEXT, as a bound `Date` is.
        case date(Date)
        /// A BLOB: bytes as they are.
        case data(Data)
        /// A BLOB of this many zero bytes.
        case zeroData(UInt64)
        /// The statement fails with this message, and this result code instead of `SQLITE_ERROR`.
        case error(message: String, code: Int32?)

        fileprivate var value: any Bindable {
            get throws {
                switch self {
                case .null: NSNull()
                case .integer(let value): value
                case .long(let value): value
                case .double(let value): value
                case .text(let value): value
                case .date(let value): value
                case .data(let value): value
                case .zeroData(let count): ZeroBlob(count: Int(clamping: count))
                case .error(let message, let code):
                    throw SQLiteError(
                        code: code.map { ResultCode($0) } ?? .error,
                        message: message
                    )
                }
            }
        }
    }

    /// Gives a scalar function the objects it keeps between the rows of a statement.
    public struct ScalarFunctionContext {
        /// Objects that SQLite keeps for arguments as long as the arguments are constant: for
        /// instance a compiled pattern. SQLite may release one at any time, even immediately.
        ///
        /// SQLite: [sqlite3_get_auxdata](https://sqlite.org/c3ref/get_auxdata.html)
        public struct AuxiliaryData {
            fileprivate let arguments: Row

            /// The object for the argument at `index`, from 0; nil removes it. At a negative index
            /// there is none.
            public subscript(index: Int32) -> AnyObject? {
                get { arguments[objectOfArgument: index] }
                nonmutating set { arguments[objectOfArgument: index] = newValue }
            }
        }

        /// SQift 5.1's spelling.
        @available(*, deprecated, renamed: "AuxiliaryData")
        public typealias AuxilaryData = AuxiliaryData

        /// Objects that SQLite keeps for constant arguments.
        public let auxiliaryData: AuxiliaryData
        /// SQift 5.1's spelling.
        @available(*, deprecated, renamed: "auxiliaryData")
        public var auxilaryData: AuxiliaryData { auxiliaryData }
    }

    /// The object that an aggregate function keeps for a group.
    public struct AggregateFunctionContext {
        fileprivate let arguments: Row
        fileprivate let makeObject: AggregateContextObjectFactory

        /// The group's object, made by the factory when it is first asked for.
        public var stepObject: AnyObject {
            // 5.1's type isn't optional: after the call, or without memory, it is a new object.
            arguments.groupObject(make: makeObject) ?? makeObject()
        }
        /// The group's object, or nil if it had no row.
        public var finalObject: AnyObject? {
            arguments.groupObject(make: nil)
        }
    }
}

extension FunctionContext {
    fileprivate var functionValues: [Connection.FunctionValue] {
        let arguments = arguments
        return (0..<call.argumentCount).map { .init(arguments: arguments, index: $0) }
    }
}
