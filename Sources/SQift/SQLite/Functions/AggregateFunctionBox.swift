internal import CSQift

/// The object that SQLite keeps for an aggregate or a window function: its parts.
final class AggregateFunctionBox {
    /// Reads the context's arguments, or sets its result.
    typealias Part = (FunctionContext) throws -> Void

    /// The parts that only a window function has.
    struct WindowParts {
        let inverse: Part
        let value: Part
    }

    let context: FunctionContext
    private let step: Part
    private let finalize: Part
    let window: WindowParts?

    init(
        name: String,
        step: @escaping Part,
        finalize: @escaping Part,
        window: WindowParts? = nil
    ) {
        context = FunctionContext(name: name)
        self.step = step
        self.finalize = finalize
        self.window = window
    }

    convenience init<Aggregate: AggregateFunction>(
        name: String,
        _ type: Aggregate.Type,
        window: WindowParts? = nil
    ) {
        self.init(
            name: name,
            step: { context in
                try context.updateGroup(of: type) { try $0.step(context.arguments) }
            },
            finalize: { context in
                if let value = try context.updateGroup(of: type, { try $0.finalize() }) {
                    try context.setResult(value)
                }
            },
            window: window
        )
    }

    convenience init<Window: WindowFunction>(name: String, window type: Window.Type) {
        let window = WindowParts(
            inverse: { context in
                try context.updateGroup(of: type) { try $0.inverse(context.arguments) }
            },
            value: { context in
                if let value = try context.updateGroup(of: type, { try $0.value() }) {
                    try context.setResult(value)
                }
            }
        )
        self.init(name: name, type, window: window)
    }

    // MARK: The functions that SQLite calls

    typealias ArgumentsCallback =
        @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
    typealias ResultCallback = @convention(c) (OpaquePointer?) -> Void

    static let stepCallback: ArgumentsCallback = { context, count, arguments in
        withBox(of: context) { box in
            box.context.run(context, count: count, arguments: arguments, box.step)
        }
    }

    static let inverseCallback: ArgumentsCallback = { context, count, arguments in
        withBox(of: context) { box in
            box.context.run(context, count: count, arguments: arguments) {
                try box.window?.inverse($0)
            }
        }
    }

    static let valueCallback: ResultCallback = { context in
        withBox(of: context) { box in
            box.context.run(context) { try box.window?.value($0) }
        }
    }

    static let finalizeCallback: ResultCallback = { context in
        withBox(of: context) { box in
            box.context.run(context) { try box.finalize($0) }
        }
        FunctionContext.releaseGroupObject(in: context)
    }

    static let releaseCallback: @convention(c) (UnsafeMutableRawPointer?) -> Void = { box in
        if let box {
            Unmanaged<AggregateFunctionBox>.fromOpaque(box).release()
        }
    }

    /// Calls `body` with the function that SQLite calls with this context. SQLite holds it
    /// meanwhile.
    private static func withBox(
        of context: OpaquePointer?,
        _ body: (AggregateFunctionBox) -> Void
    ) {
        guard let box = sqlite3_user_data(context) else { return }
        Unmanaged<AggregateFunctionBox>.fromOpaque(box)._withUnsafeGuaranteedRef(body)
    }
}

/// The state of a group.
private final class Group<Aggregate: AggregateFunction> {
    var aggregate = Aggregate()
    var hasFailed = false
}

extension FunctionContext {
    /// Calls `body` with the current group's state. If no row was added, that is an empty group's.
    /// Returns nil without a call if the group has failed before.
    fileprivate func updateGroup<Aggregate: AggregateFunction, Value>(
        of type: Aggregate.Type,
        _ body: (inout Aggregate) throws -> Value
    ) throws -> Value? {
        let object = groupObject(callNumber: call.number) { Group<Aggregate>() }
        guard let group = object as? Group<Aggregate> else { throw SQLiteError(code: .noMemory) }
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
