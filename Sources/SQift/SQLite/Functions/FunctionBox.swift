internal import CSQift

/// The object that SQLite keeps for a function written in Swift: its parts.
@usableFromInline final class FunctionBox {
    /// Reads the context's arguments, or sets its result.
    @usableFromInline typealias Part = (FunctionContext) throws -> Void

    let context: FunctionContext
    /// Computes a scalar function, or adds a row to an aggregate's group.
    let step: Part
    /// Nil for a scalar function.
    let finalize: Part?
    /// This and `value` are parts of a window function only.
    private(set) var inverse: Part?
    private(set) var value: Part?

    @usableFromInline init(name: String, step: @escaping Part, finalize: Part? = nil) {
        context = FunctionContext(name: name)
        self.step = step
        self.finalize = finalize
    }

    convenience init<Aggregate: AggregateFunction>(name: String, _ type: Aggregate.Type) {
        self.init(
            name: name,
            step: part { (group: inout Aggregate, call) in try group.step(call.arguments) },
            finalize: part { (group: inout Aggregate, call) in
                try call.setResult(group.finalize())
            }
        )
    }

    convenience init<Window: WindowFunction>(name: String, window type: Window.Type) {
        self.init(name: name, type)
        inverse = part { (group: inout Window, call) in try group.inverse(call.arguments) }
        value = part { (group: inout Window, call) in try call.setResult(group.value()) }
    }

    /// Runs a part of the function that SQLite calls with this context. SQLite holds its box
    /// meanwhile, so the part is called in the box: taken out of it, it would be retained for each
    /// call.
    @inline(__always) static func run(
        _ context: OpaquePointer?,
        _ count: Int32 = 0,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>? = nil,
        _ part: (FunctionBox, FunctionContext) throws -> Void
    ) {
        guard let box = sqlite3_user_data(context) else { return }
        Unmanaged<FunctionBox>.fromOpaque(box)._withUnsafeGuaranteedRef { box in
            let function = box.context
            let outerCall = function.call
            defer { function.call = outerCall }
            function.lastCallNumber &+= 1
            function.call = FunctionContext.Call(
                context: context,
                arguments: arguments,
                argumentCount: Int(count),
                number: function.lastCallNumber
            )
            do {
                try part(box, function)
            } catch {
                function.fail(with: error)
            }
        }
    }
}

/// The state of a group.
private final class Group<Aggregate: AggregateFunction> {
    var aggregate = Aggregate()
    var hasFailed = false
}

/// Makes a part of an aggregate from `body`, which gets the current group's state (an empty one
/// if no row was added) and the call. Once it has thrown, the group isn't used any more.
private func part<Aggregate: AggregateFunction>(
    _ body: @escaping (inout Aggregate, FunctionContext) throws -> Void
) -> FunctionBox.Part {
    { context in
        let object = context.arguments.groupObject { Group<Aggregate>() }
        guard let group = object as? Group<Aggregate> else { throw SQLiteError(code: .noMemory) }
        guard !group.hasFailed else { return }
        do {
            try body(&group.aggregate, context)
        } catch {
            group.hasFailed = true
            throw error
        }
    }
}
