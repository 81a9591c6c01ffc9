/// An object that something else keeps. It counts no reference, which in the code for each value
/// takes as long as the rest.
struct Uncounted<Object: AnyObject> {
    private let reference: Unmanaged<Object>

    init(_ object: Object) {
        reference = Unmanaged.passUnretained(object)
    }

    /// The object, for more than a call. It counts a reference.
    var object: Object { reference.takeUnretainedValue() }

    /// Calls `body` with the object, which something else keeps until `body` returns.
    @inline(__always) func with<Result>(_ body: (Object) throws -> Result) rethrows -> Result {
        try reference._withUnsafeGuaranteedRef(body)
    }
}
