internal import CSQift

// The objects that SQLite keeps for the function whose arguments a row has: one for each group of
// an aggregate, and one for each constant argument.
extension Row {
    /// The `sqlite3_context *` of the call; nil once it is over.
    private var functionCall: OpaquePointer? {
        guard let call = function?.call, call.number == generation else { return nil }
        return call.context
    }

    /// The object of the current group. If there is none, `make` makes it, unless `make` is nil.
    ///
    /// SQLite: [sqlite3_aggregate_context](https://sqlite.org/c3ref/aggregate_context.html)
    func groupObject(make: (() -> AnyObject)?) -> AnyObject? {
        let size = make == nil ? 0 : Int32(MemoryLayout<AnyObject?>.size)
        guard let functionCall, let object = groupMemory(in: functionCall, size: size) else {
            return nil
        }
        if object.pointee == nil {
            object.pointee = make?()
        }
        return object.pointee
    }

    /// The object that is kept for a constant argument.
    ///
    /// SQLite: [sqlite3_get_auxdata](https://sqlite.org/c3ref/get_auxdata.html)
    subscript(objectOfArgument index: Int32) -> AnyObject? {
        get {
            guard index >= 0, let functionCall, let data = sqlite3_get_auxdata(functionCall, index)
            else { return nil }
            return Unmanaged<AnyObject>.fromOpaque(data).takeUnretainedValue()
        }
        nonmutating set {
            // SQLite shares the objects at negative indexes with all functions, its own too.
            guard index >= 0, let functionCall else { return }
            let data = newValue.map { Unmanaged.passRetained($0).toOpaque() }
            sqlite3_set_auxdata(functionCall, index, data, releaseObject)
        }
    }
}

/// The memory that SQLite has for a group's object: zeros at first, which are nil. With the size 0
/// it makes none.
func groupMemory(
    in context: OpaquePointer?,
    size: Int32
) -> UnsafeMutablePointer<AnyObject?>? {
    // "On second and subsequent calls to sqlite3_aggregate_context() for the same aggregate
    // function instance, the same buffer is returned.":
    // https://sqlite.org/c3ref/aggregate_context.html
    sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: AnyObject?.self)
}
