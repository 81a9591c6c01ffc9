internal import CSQift

/// A function of a group's rows: SQLite makes one for each group, steps it through the rows, and
/// asks for the result.
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
/// https://sqlite.org/appfunc.html#the_aggregate_function_callbacks
public protocol AggregateFunction {
    /// What it results in; an optional where it may be NULL.
    associatedtype Value: Bindable

    /// Makes the state for an empty group.
    init()

    /// Takes a row of the group in.
    ///
    /// - Parameter arguments: The function's arguments as a row, valid during the call:
    ///   `arguments.get(0)` is the first.
    /// - Throws: What becomes the statement's error.
    mutating func step(_ arguments: Row) throws

    /// The result for the rows that were taken in, which may be none. When a statement ends early
    /// it isn't used.
    ///
    /// - Throws: What becomes the statement's error.
    mutating func finalize() throws -> Value
}

/// An aggregate that can be used with `OVER`, too: it lets go of rows that leave the window's
/// frame.
///
/// https://sqlite.org/windowfunctions.html#udfwinfunc
public protocol WindowFunction: AggregateFunction {
    /// What it results in; an optional where it may be NULL.
    associatedtype Value

    /// Takes out the row that was taken in first of those that are in.
    ///
    /// - Parameter arguments: The arguments with which it was taken in.
    /// - Throws: What becomes the statement's error.
    mutating func inverse(_ arguments: Row) throws

    /// The result for the rows that are in, which may be none. More may come and go.
    ///
    /// - Throws: What becomes the statement's error.
    func value() throws -> Value
}

extension WindowFunction {
    /// `value()`
    public func finalize() throws -> Value {
        try value()
    }
}

extension Connection {
    /// Adds an aggregate function, or replaces the one with that name and number of arguments.
    ///
    /// - Parameters:
    ///   - name: The name, of at most 255 bytes of UTF-8.
    ///   - argumentCount: The number of arguments, negative for any number.
    ///   - deterministic: Whether equal arguments always give the same result.
    ///   - directOnly: Whether it may be used in statements only, not in the schema's triggers and
    ///     views.
    ///   - type: What computes it.
    /// - Throws: `SQLiteError`: `SQLITE_MISUSE` for a bad name, `SQLITE_BUSY` if statements are
    ///   running while one is replaced.
    ///
    /// https://sqlite.org/c3ref/create_function.html
    public func addAggregateFunction<Aggregate: AggregateFunction>(
        named name: String,
        argumentCount: Int8,
        deterministic: Bool = false,
        directOnly: Bool = false,
        _ type: Aggregate.Type
    ) throws {
        let function = AggregateCall(name, type)
        let flags = functionFlags(deterministic: deterministic, directOnly: directOnly)
        try registerAggregate(function, argumentCount: argumentCount, flags: flags)
    }

    /// Adds a function for windows, which is an aggregate function too, or replaces the one with
    /// that name and number of arguments.
    ///
    /// - Throws: As `addAggregateFunction`; `SQLITE_MISUSE` also where SQLite was built without
    ///   window functions.
    ///
    /// https://sqlite.org/c3ref/create_function.html
    public func addWindowFunction<Window: WindowFunction>(
        named name: String,
        argumentCount: Int8,
        deterministic: Bool = false,
        directOnly: Bool = false,
        _ type: Window.Type
    ) throws {
        let function = AggregateCall(name, type)
        function.addWindow(type)
        let flags = functionFlags(deterministic: deterministic, directOnly: directOnly)
        try registerAggregate(function, argumentCount: argumentCount, flags: flags)
    }

    /// Hands an aggregate function to SQLite, which keeps it.
    func registerAggregate(_ aggregate: AggregateCall, argumentCount: Int8, flags: Int32) throws {
        guard let handle else { throw unusableError }
        let name = try functionName(aggregate.function.name)
        aggregate.function.functionTableLock = tableLockForFunctions()
        let count = Int32(max(argumentCount, -1))
        let pointer = Unmanaged.passRetained(aggregate).toOpaque()
        let step:
            @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void =
                {
                    context,
                    count,
                    arguments in
                    AggregateCall.with(context) {
                        $0.function.call(context, count, arguments, $0.step)
                    }
                }
        let finish: @convention(c) (OpaquePointer?) -> Void = { context in
            AggregateCall.with(context) { aggregate in
                aggregate.function.call(context, 0, nil) { try aggregate.finish($0) }
            }
            FunctionCall.releaseState(in: context)
        }
        let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { aggregate in
            if let aggregate {
                Unmanaged<AggregateCall>.fromOpaque(aggregate).release()
            }
        }
        let code: Int32
        if aggregate.value == nil {
            code = sqlite3_create_function_v2(
                handle,
                name,
                count,
                flags,
                pointer,
                nil,
                step,
                finish,
                release
            )
        } else if let createWindowFunction = sqift_find_create_window_function() {
            code = createWindowFunction(
                handle,
                name,
                count,
                flags,
                pointer,
                step,
                finish,
                { context in
                    AggregateCall.with(context) { aggregate in
                        aggregate.function.call(context, 0, nil) { try aggregate.value?($0) }
                    }
                },
                { context, count, arguments in
                    AggregateCall.with(context) { aggregate in
                        aggregate.function.call(context, count, arguments) {
                            try aggregate.inverse?($0)
                        }
                    }
                },
                release
            )
        } else {
            release(pointer)
            throw SQLiteError.misuse("this SQLite was built without window functions")
        }
        guard code == SQLITE_OK else { throw functionError(code, name) }
    }
}

/// What SQLite keeps of an aggregate function: its parts.
final class AggregateCall {
    let function: FunctionCall
    let step: (FunctionCall) throws -> Void
    let finish: (FunctionCall) throws -> Void
    private(set) var value: ((FunctionCall) throws -> Void)?
    private(set) var inverse: ((FunctionCall) throws -> Void)?

    init(
        _ name: String,
        step: @escaping (FunctionCall) throws -> Void,
        finish: @escaping (FunctionCall) throws -> Void
    ) { (function, self.step, self.finish) = (FunctionCall(name), step, finish) }

    convenience init<Aggregate: AggregateFunction>(_ name: String, _ type: Aggregate.Type) {
        self.init(
            name,
            step: { call in try call.change(Aggregate.self) { try $0.step(call.row) } },
            finish: { call in
                if let value = try call.change(Aggregate.self, { try $0.finalize() }) {
                    try call.setResult(value)
                }
            }
        )
    }

    func addWindow<Window: WindowFunction>(_ type: Window.Type) {
        value = { call in
            if let value = try call.change(Window.self, { try $0.value() }) {
                try call.setResult(value)
            }
        }
        inverse = { call in try call.change(Window.self) { try $0.inverse(call.row) } }
    }

    /// Calls `body` with the aggregate that SQLite calls with this context, and keeps alive
    /// meanwhile.
    static func with(_ context: OpaquePointer?, _ body: (AggregateCall) -> Void) {
        guard let aggregate = sqlite3_user_data(context) else { return }
        Unmanaged<AggregateCall>.fromOpaque(aggregate)._withUnsafeGuaranteedRef(body)
    }
}

/// The state of a group.
private final class Group<Aggregate: AggregateFunction> {
    var aggregate = Aggregate()
    var hasFailed = false
}

extension FunctionCall {
    /// Calls `body` with the group's state, or an empty group's where no row was taken in; not
    /// after an error.
    fileprivate func change<Aggregate: AggregateFunction, Value>(
        _ type: Aggregate.Type,
        _ body: (inout Aggregate) throws -> Value
    ) throws -> Value? {
        let state = state(of: number) { Group<Aggregate>() }
        guard let group = state as? Group<Aggregate> else { throw SQLiteError(code: .noMemory) }
        if group.hasFailed {
            return nil
        }
        do {
            return try body(&group.aggregate)
        } catch {
            group.hasFailed = true
            throw error
        }
    }
}
