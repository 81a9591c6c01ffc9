internal import CSQift
import Foundation

// Functions as SQift 5.1 had them. `addFunction` has typed arguments, and can throw.
extension Connection {
    /// A function of a context and its arguments.
    public typealias ScalarFunction = (ScalarFunctionContext, [FunctionValue]) -> FunctionResult
    /// Makes the object that an aggregate keeps for a group.
    public typealias AggregateContextObjectFactory = () -> AnyObject
    /// Takes a row of the group in.
    public typealias AggregateStepFunction = (AggregateFunctionContext, [FunctionValue]) -> Void
    /// Answers the result for the group.
    public typealias AggregateFinalFunction = (AggregateFunctionContext) -> FunctionResult

    /// Adds an SQL function, or replaces the one with that name and number of arguments.
    ///
    /// - Parameters:
    ///   - name: The name, of at most 255 bytes of UTF-8.
    ///   - argumentCount: The number of arguments, negative for any number.
    ///   - deterministic: Whether equal arguments always give the same result, which indexes
    ///     demand.
    ///   - function: The function. What it is given is valid during the call.
    /// - Throws: As `addFunction`.
    ///
    /// https://sqlite.org/c3ref/create_function.html
    public func addScalarFunction(
        named name: String,
        argumentCount: Int8,
        deterministic: Bool = false,
        function: @escaping ScalarFunction
    ) throws {
        let scalar = ScalarCall(name) { call in
            try function(
                ScalarFunctionContext(call: call, number: call.number),
                call.functionValues
            ).set(on: call)
        }
        try register(
            scalar,
            argumentCount: Int(max(argumentCount, -1)),
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
    ///   - finalFunction: Called at the group's end, also of one without rows and of a statement
    ///     that ends early.
    /// - Throws: As `addFunction`.
    ///
    /// https://sqlite.org/c3ref/create_function.html
    public func addAggregateFunction(
        named name: String,
        argumentCount: Int8,
        deterministic: Bool = false,
        contextObjectFactory: @escaping AggregateContextObjectFactory,
        stepFunction: @escaping AggregateStepFunction,
        finalFunction: @escaping AggregateFinalFunction
    ) throws {
        func context(_ call: FunctionCall) -> AggregateFunctionContext {
            AggregateFunctionContext(
                call: call,
                number: call.number,
                makeObject: contextObjectFactory
            )
        }
        let function = AggregateCall(
            name,
            step: { call in stepFunction(context(call), call.functionValues) },
            finish: { call in try finalFunction(context(call)).set(on: call) }
        )
        let flags = functionFlags(deterministic: deterministic, directOnly: false)
        try registerAggregate(function, argumentCount: argumentCount, flags: flags)
    }

    /// An argument of a function, converted as SQLite converts. After the call it is NULL.
    ///
    /// https://sqlite.org/c3ref/value_blob.html
    public struct FunctionValue {
        /// SQLite's storage classes. https://sqlite.org/datatype3.html
        public enum DataType: Sendable, Hashable {
            /// `NULL`
            case null
            /// `INTEGER`
            case integer
            /// `REAL`
            case double
            /// `TEXT`
            case text
            /// `BLOB`
            case data

            fileprivate init(_ code: Int32) {
                switch code {
                case SQLITE_INTEGER: self = .integer
                case SQLITE_FLOAT: self = .double
                case SQLITE_TEXT: self = .text
                case SQLITE_BLOB: self = .data
                default: self = .null
                }
            }
        }

        fileprivate let call: FunctionCall
        fileprivate let number: Int
        fileprivate let index: Int

        private var value: OpaquePointer? { call.liveValue(number, index) }

        /// The low 32 bits of `long`.
        public var integer: Int32 { value.map { sqlite3_value_int($0) } ?? 0 }
        /// The number, or the number that a text begins with, without its fraction; else 0.
        public var long: Int64 { value.map { sqlite3_value_int64($0) } ?? 0 }
        /// The number, or the number that a text begins with; else 0.
        public var double: Double { value.map { sqlite3_value_double($0) } ?? 0 }
        /// The text with its NUL bytes, a number's digits, or a blob's bytes as UTF-8; empty for
        /// NULL.
        public var text: String {
            // Asking for a blob's text would make it one.
            if isData {
                return String(decoding: buffer, as: UTF8.self)
            }
            guard let value, let start = sqlite3_value_text(value) else { return "" }
            return String(
                decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))),
                as: UTF8.self
            )
        }
        /// A copy of `buffer`.
        public var data: Data { Data(buffer) }
        /// The bytes of a blob, or of `text`, valid during the call and until another property is
        /// read.
        public var buffer: UnsafeRawBufferPointer {
            guard let value else { return UnsafeRawBufferPointer(start: nil, count: 0) }
            // A text may be UTF-16 as yet.
            let start =
                isText ? UnsafeRawPointer(sqlite3_value_text(value)) : sqlite3_value_blob(value)
            return UnsafeRawBufferPointer(
                start: start,
                count: start == nil ? 0 : Int(sqlite3_value_bytes(value))
            )
        }
        /// The date, where the value is a text that is one.
        public var date: Date? { isText ? Date(value: .text(text)) : nil }

        /// How the value is stored.
        public var type: DataType { DataType(value.map { sqlite3_value_type($0) } ?? SQLITE_NULL) }
        /// How it is stored after a text that is a number has been made one.
        public var numericType: DataType {
            guard isText else { return type }
            // sqlite3_value_numeric_type makes the value itself a number, and crashes in SQLite
            // 3.53 if it is asked about a copy.
            let isSpace: (UInt8) -> Bool = { $0 == 32 || (9...13).contains($0) }
            var digits = text.utf8.drop(while: isSpace)
            while let last = digits.last, isSpace(last) {
                digits.removeLast()
            }
            let number = Substring(digits)
            if Int64(number) != nil {
                return .integer
            }
            // Double would also take hexadecimal digits, infinity and nan.
            let isDecimal = digits.allSatisfy { "0123456789.eE+-".utf8.contains($0) }
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

    /// What a function results in.
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
        /// BLOB of so many zero bytes.
        case zeroData(UInt64)
        /// The statement fails with this message, and this result code instead of `SQLITE_ERROR`.
        case error(message: String, code: Int32?)

        fileprivate func set(on call: FunctionCall) throws {
            switch self {
            case .null: try call.result.bindNull()
            case .integer(let value): try call.result.bind(Int64(value))
            case .long(let value): try call.result.bind(value)
            case .double(let value): try call.result.bind(value)
            case .text(let value): try call.result.bind(value)
            case .date(let value): try value.bind(to: call.result)
            case .data(let value): try call.result.bind(value)
            case .zeroData(let count): try call.result.bind(zeroBlobOf: Int(clamping: count))
            case .error(let message, let code):
                throw SQLiteError(
                    code: code.map { ResultCode(rawValue: $0) } ?? .error,
                    message: message
                )
            }
        }
    }

    /// What a scalar function keeps between the rows of a statement.
    public struct ScalarFunctionContext {
        /// Objects that SQLite keeps for arguments, as long as these are constant: a compiled
        /// pattern, for instance. It may drop one at any time, even at once.
        ///
        /// https://sqlite.org/c3ref/get_auxdata.html
        public struct AuxiliaryData {
            fileprivate let call: FunctionCall
            fileprivate let number: Int

            /// The object for the argument at `index`, from 0; nil removes it. At a negative index
            /// there is none.
            public subscript(index: Int32) -> AnyObject? {
                get { call.auxiliaryData(of: number, at: index) }
                nonmutating set { call.setAuxiliaryData(newValue, of: number, at: index) }
            }
        }

        /// SQift 5.1's spelling.
        @available(*, deprecated, renamed: "AuxiliaryData")
        public typealias AuxilaryData = AuxiliaryData

        fileprivate let call: FunctionCall
        fileprivate let number: Int

        /// Objects that SQLite keeps for constant arguments.
        public var auxiliaryData: AuxiliaryData { AuxiliaryData(call: call, number: number) }
        /// SQift 5.1's spelling.
        @available(*, deprecated, renamed: "auxiliaryData")
        public var auxilaryData: AuxiliaryData { auxiliaryData }
    }

    /// The object that an aggregate function keeps for a group.
    public struct AggregateFunctionContext {
        fileprivate let call: FunctionCall
        fileprivate let number: Int
        fileprivate let makeObject: AggregateContextObjectFactory

        /// The group's object, made by the factory when it is first asked for.
        public var stepObject: AnyObject {
            call.state(of: number, make: makeObject) ?? makeObject()
        }
        /// The group's object, or nil if it had no row.
        public var finalObject: AnyObject? { call.state(of: number, make: nil) }
    }
}

extension FunctionCall {
    fileprivate var functionValues: [Connection.FunctionValue] {
        (0..<count).map { Connection.FunctionValue(call: self, number: number, index: $0) }
    }
}
