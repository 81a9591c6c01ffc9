internal import CSQift

// The objects that SQLite keeps for a function: one for each group of an aggregate, and one for
// each constant argument.
extension FunctionContext {
    /// The object of the current group. If there is none, `make` makes it, unless `make` is nil.
    /// Returns nil after the call with this number.
    ///
    /// https://sqlite.org/c3ref/aggregate_context.html
    func groupObject(callNumber: Int, make: (() -> AnyObject)?) -> AnyObject? {
        guard callNumber == call.number else { return nil }
        let size = make == nil ? 0 : Int32(MemoryLayout<AnyObject?>.size)
        guard let object = Self.groupMemory(in: call.context, size: size) else { return nil }
        if object.pointee == nil {
            object.pointee = make?()
        }
        return object.pointee
    }

    /// Releases the object of a group that has ended.
    static func releaseGroupObject(in context: OpaquePointer?) {
        groupMemory(in: context, size: 0)?.pointee = nil
    }

    /// The memory that SQLite has for a group: zeros at first, which are nil.
    private static func groupMemory(
        in context: OpaquePointer?,
        size: Int32
    ) -> UnsafeMutablePointer<AnyObject?>? {
        sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: AnyObject?.self)
    }

    /// The object that was kept for a constant argument.
    ///
    /// https://sqlite.org/c3ref/get_auxdata.html
    func auxiliaryData(at index: Int32, callNumber: Int) -> AnyObject? {
        guard callNumber == call.number, index >= 0,
            let data = sqlite3_get_auxdata(call.context, index)
        else { return nil }
        return Unmanaged<AnyObject>.fromOpaque(data).takeUnretainedValue()
    }

    func setAuxiliaryData(_ object: AnyObject?, at index: Int32, callNumber: Int) {
        // SQLite shares the objects at negative indexes with all functions, its own too.
        guard callNumber == call.number, index >= 0 else { return }
        let data = object.map { Unmanaged.passRetained($0).toOpaque() }
        sqlite3_set_auxdata(call.context, index, data, releaseObject)
    }
}
