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
    /// <https://sqlite.org/c3ref/create_function.html>
    public func addScalarFunction(
        named name: String,
        argumentCount: Int8,
        deterministic: Bool = false,
        function: @escaping ScalarFunction
    ) throws {
        let box = FunctionBox(name: name) { context in
            let data = ScalarFunctionContext.AuxiliaryData(
                context: context,
                callNumber: context.call.number
            )
            let scalar = ScalarFunctionContext(auxiliaryData: data)
            try context.setResult(function(scalar, context.functionValues).value)
        }
        try addFunction(
            box,
            argumentCount: Int(argumentCount),
            deterministic: deterministic,
            directOnly: false
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
    ///   - finalFunction: Called at the group's end, also if the group has no rows and if the
    ///     statement ends early.
    /// - Throws: The same as `addFunction`.
    ///
    /// <https://sqlite.org/c3ref/create_function.html>
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
                context: context,
                callNumber: context.call.number,
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
            argumentCount: Int(argumentCount),
            deterministic: deterministic,
            directOnly: false
        )
    }

    /// An argument of a function, converted as SQLite converts. After the call it is NULL.
    ///
    /// <https://sqlite.org/c3ref/value_blob.html>
    public struct FunctionValue {
        /// A storage class of SQLite, with its number. <https://sqlite.org/datatype3.html>
        public enum DataType: Int32, Sendable {
            /// `INTEGER`
            case integer = 1
            /// `REAL`
            case double
            /// `TEXT`
            case text
            /// `BLOB`
            case data
            /// `NULL`
            case null
        }

        fileprivate let argument: FunctionArgument

        /// The low 32 bits of `long`.
        public var integer: Int32 { Int32(truncatingIfNeeded: long) }
        /// The number, or the number that a text begins with, without its fraction; else 0.
        public var long: Int64 { argument.int64 }
        /// The number, or the number that a text begins with; else 0.
        public var double: Double { argument.double }
        /// The text with its NUL bytes, a number's digits, or a blob's bytes as UTF-8; empty for
        /// NULL.
        public var text: String { argument.text }
        /// A copy of `buffer`.
        public var data: Data { Data(buffer) }
        /// The bytes of a blob, or of `text`. They are valid during the call, until another
        /// property is read.
        public var buffer: UnsafeRawBufferPointer { argument.bytes }
        /// The date, if the value is a text that is one.
        public var date: Date? { isText ? Date._converted(from: .text(text)) : nil }

        /// How the value is stored.
        public var type: DataType { DataType(rawValue: argument.type) ?? .null }
        /// How the value would be stored if a text that is a number were a number.
        public var numericType: DataType {
            guard isText else { return type }
            // Not `sqlite3_value_numeric_type`: it changes the value itself, and with a copy of the
            // value it crashes in SQLite 3.53.
            let spaces = CharacterSet(charactersIn: " \t\n\u{B}\u{C}\r")
            let number = text.trimmingCharacters(in: spaces)
            if Int64(number) != nil {
                return .integer
            }
            // Double would also take hexadecimal digits, infinity and nan.
            let isDecimal = number.utf8.allSatisfy("0123456789.eE+-".utf8.contains)
            return isDecimal && Double(number) != nil ? .double : .text
        }
        /// Whether it is NULL.
        public var isNull: Bool { type == .null }
        /// Whether it is an INTEGER.
        public var isInteger: Bool { type == .integer }
        /// Whether it is a REAL.
        public var isDouble: Bool { type == .double }
        /// Whether it is a TEXT.
        public var isText: Bool { type == .text }
        /// Whether it is a BLOB.
        public var isData: Bool { type == .data }
    }

    /// The result of a function.
    public enum FunctionResult: Sendable, Hashable {
        /// NULL
        case null
        /// INTEGER
        case integer(Int32)
        /// INTEGER
        case long(Int64)
        /// REAL; NaN is an error.
        case double(Double)
        /// TEXT
        case text(String)
        /// TEXT, as a bound `Date` is.
        case date(Date)
        /// BLOB
        case data(Data)
        /// BLOB of this many zero bytes.
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
        /// <https://sqlite.org/c3ref/get_auxdata.html>
        public struct AuxiliaryData {
            fileprivate let context: FunctionContext
            fileprivate let callNumber: Int

            /// The object for the argument at `index`, from 0; nil removes it. At a negative index
            /// there is none.
            public subscript(index: Int32) -> AnyObject? {
                get { context.auxiliaryData(at: index, callNumber: callNumber) }
                nonmutating set {
                    context.setAuxiliaryData(newValue, at: index, callNumber: callNumber)
                }
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
        fileprivate let context: FunctionContext
        fileprivate let callNumber: Int
        fileprivate let makeObject: AggregateContextObjectFactory

        /// The group's object, made by the factory when it is first asked for.
        public var stepObject: AnyObject {
            // 5.1's type isn't optional: after the call, or without memory, it is a new object.
            context.groupObject(callNumber: callNumber, make: makeObject) ?? makeObject()
        }
        /// The group's object, or nil if it had no row.
        public var finalObject: AnyObject? {
            context.groupObject(callNumber: callNumber, make: nil)
        }
    }
}

extension FunctionContext {
    fileprivate var functionValues: [Connection.FunctionValue] {
        (0..<call.argumentCount).map {
            let argument = FunctionArgument(context: self, callNumber: call.number, index: $0)
            return Connection.FunctionValue(argument: argument)
        }
    }
}
