internal import CSQift

/// An SQL function written in Swift, as rows and parameter slots see it: it has the arguments of
/// the running call, and takes its result.
///
/// One object serves all calls of a function. It doesn't hold the function's closure, which may
/// keep rows that it received. SQLite's pointers are valid during a call only, so that each row
/// carries the number of its call, and reaches nothing afterwards. A call can run inside another
/// call of the same function.
///
/// SQLite: [sqlite3_create_function](https://sqlite.org/c3ref/create_function.html)
@usableFromInline final class FunctionContext {
    /// A call, as SQLite passes it.
    @usableFromInline struct Call {
        /// The call that SQLite makes, a `sqlite3_context *`.
        var context: OpaquePointer?
        var arguments: UnsafeMutablePointer<OpaquePointer?>?
        var argumentCount = 0
        /// 0 outside all calls.
        @usableFromInline var number = 0
        @usableFromInline var hasResult = false
    }

    let name: String
    @usableFromInline @exclusivity(unchecked) var call = Call()
    var lastCallNumber = 0

    init(name: String) {
        self.name = name
    }

    /// SQLite's value of an argument. Returns nil if the call is over or has no such argument.
    func argument(at index: Int, callNumber: Int) -> OpaquePointer? {
        guard callNumber == call.number,
            UInt(bitPattern: index) < UInt(bitPattern: call.argumentCount)
        else {
            return nil
        }
        return call.arguments?[index]
    }
}
