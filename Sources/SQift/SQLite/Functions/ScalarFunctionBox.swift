internal import CSQift

/// The object that SQLite keeps for a scalar function.
@usableFromInline final class ScalarFunctionBox {
    @usableFromInline typealias Body = (FunctionContext) throws -> Void

    let context: FunctionContext
    private let body: Body

    /// - Parameter body: Computes the result and sets it in the context.
    @usableFromInline init(name: String, body: @escaping Body) {
        context = FunctionContext(name: name)
        self.body = body
    }

    /// Runs the function that SQLite calls with this context. The caller holds it meanwhile.
    static func run(
        _ context: OpaquePointer?,
        _ count: Int32,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard let box = sqlite3_user_data(context) else { return }
        Unmanaged<ScalarFunctionBox>.fromOpaque(box)._withUnsafeGuaranteedRef {
            $0.context.run(context, count: count, arguments: arguments, $0.body)
        }
    }
}
