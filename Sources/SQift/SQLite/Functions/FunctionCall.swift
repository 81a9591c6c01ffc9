internal import CSQift
import Foundation

/// The call of an SQL function written in Swift: the row of its arguments, and the place for its
/// result.
///
/// One object serves all calls of a function. It doesn't hold the function, which may keep what it
/// was given for a call. The arguments and the context are SQLite's, valid during a call. What was
/// handed out for a call carries the call's number, so that it reaches nothing afterwards. A call
/// can run inside another one of the same function.
///
/// https://sqlite.org/c3ref/create_function.html
@usableFromInline final class FunctionCall: StoredRow {
    let name: String
    @exclusivity(unchecked) private var context: OpaquePointer?
    @exclusivity(unchecked) private var arguments: UnsafeMutablePointer<OpaquePointer?>?
    @exclusivity(unchecked) private var argumentCount = 0
    @usableFromInline @exclusivity(unchecked) private(set) var number = 0
    @exclusivity(unchecked) private var latest = 0
    /// Shared with the connection that has the function.
    var functionTableLock: FunctionTableLock?
    @usableFromInline @exclusivity(unchecked) private(set) var hasResult = false

    init(_ name: String) {
        self.name = name
        super.init(names: ColumnNames([]), values: [], sql: nil)
    }

    /// Runs the function, or an aggregate's part. An error becomes the result, and so the
    /// statement's error.
    func call(
        _ context: OpaquePointer?,
        _ count: Int32,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>?,
        _ body: (FunctionCall) throws -> Void
    ) {
        let outer = (self.context, self.arguments, argumentCount, number, hasResult)
        latest &+= 1
        (self.context, self.arguments, argumentCount, number, hasResult) = (
            context, arguments, Int(count), latest, false
        )
        defer { (self.context, self.arguments, argumentCount, number, hasResult) = outer }
        do {
            try body(self)
        } catch {
            fail(error)
        }
    }

    // MARK: Arguments

    /// The arguments of the call that runs.
    @usableFromInline var row: Row { Row(stored: self, generation: number) }

    /// The argument at `index`, which then goes on to the next.
    @inlinable @inline(__always) func nextArgument<T: ColumnDecodable>(
        _ type: T.Type,
        _ index: inout Int
    ) throws -> T {
        defer { index += 1 }
        return try T.decode(from: Row(stored: self, generation: number), at: index)
    }

    override var names: ColumnNames {
        ColumnNames((0..<argumentCount).map { "argument \($0 + 1)" })
    }

    override var ownsValues: Bool { false }

    override var count: Int { argumentCount }

    override func isCurrent(_ number: Int) -> Bool {
        number == self.number
    }

    override func liveValue(_ number: Int, _ index: Int) -> OpaquePointer? {
        guard number == self.number, UInt(bitPattern: index) < UInt(bitPattern: argumentCount)
        else { return nil }
        return arguments?[index]
    }

    // MARK: The result

    /// Where the result of the call that runs goes.
    @usableFromInline var result: ParameterSlot {
        ParameterSlot(call: self, number: Int32(truncatingIfNeeded: number))
    }

    /// Calls `body` with the context of the call with this number, if that still runs.
    @inline(__always) func withContext(of number: Int32, _ body: (OpaquePointer) -> Void) throws {
        guard let context, number == Int32(truncatingIfNeeded: self.number) else {
            throw SQLiteError.misuse("the result of \(name) was set after its call")
        }
        hasResult = true
        body(context)
    }

    /// Makes the value the result, as if it were bound to a parameter.
    @inlinable func setResult(_ value: some Bindable) throws {
        try value.bind(to: result)
        if !hasResult {
            throw missingResultError
        }
    }

    @usableFromInline var missingResultError: SQLiteError {
        SQLiteError.misuse("\(name): the result's bind(to:) has bound nothing")
    }

    private func fail(_ error: any Error) {
        var message = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
        var code = SQLITE_ERROR
        if let error = error as? SQLiteError {
            message = error.message
            // A code that isn't an error's would end the statement as if nothing were wrong, or
            // never; SCHEMA would start it again.
            let isError =
                ![.ok, .row, .done, .schema].contains(error.resultCode)
                && error.extendedResultCode.rawValue > 0
            if isError {
                code = error.extendedResultCode.rawValue
            }
            if code == ResultCode.lockedSharedCache.rawValue {
                functionTableLock?.wasThrown = true
            }
        }
        if let error = error as? ExtractionError, error.isAboutArgument {
            message = "\(name): \(message)"
        }
        message.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) {
                sqlite3_result_error(context, $0.baseAddress, Int32(clamping: $0.count))
            }
        }
        sqlite3_result_error_code(context, code)
    }

    // MARK: What SQLite keeps for the function

    /// The object that an aggregate keeps for the group at hand: made by `make` if there is none
    /// and that isn't nil.
    ///
    /// https://sqlite.org/c3ref/aggregate_context.html
    func state(of number: Int, make: (() -> AnyObject)?) -> AnyObject? {
        guard number == self.number else { return nil }
        let size = make == nil ? 0 : Int32(MemoryLayout<UnsafeRawPointer?>.size)
        let slot = sqlite3_aggregate_context(context, size)?.assumingMemoryBound(
            to: UnsafeRawPointer?.self
        )
        if let object = slot?.pointee {
            return Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue()
        }
        guard let slot, let object = make?() else { return nil }
        slot.pointee = UnsafeRawPointer(Unmanaged.passRetained(object).toOpaque())
        return object
    }

    /// Releases that object, at the group's end.
    static func releaseState(in context: OpaquePointer?) {
        let slot = sqlite3_aggregate_context(context, 0)?.assumingMemoryBound(
            to: UnsafeRawPointer?.self
        )
        guard let slot, let object = slot.pointee else { return }
        slot.pointee = nil
        Unmanaged<AnyObject>.fromOpaque(object).release()
    }

    /// The object that was kept for a constant argument. https://sqlite.org/c3ref/get_auxdata.html
    func auxiliaryData(of number: Int, at index: Int32) -> AnyObject? {
        guard number == self.number, index >= 0, let data = sqlite3_get_auxdata(context, index)
        else { return nil }
        return Unmanaged<AnyObject>.fromOpaque(data).takeUnretainedValue()
    }

    func setAuxiliaryData(_ object: AnyObject?, of number: Int, at index: Int32) {
        // What is kept at negative indexes is shared with all functions, SQLite's own too.
        guard number == self.number, index >= 0 else { return }
        let data = object.map { Unmanaged.passRetained($0).toOpaque() }
        sqlite3_set_auxdata(context, index, data) { data in
            if let data {
                Unmanaged<AnyObject>.fromOpaque(data).release()
            }
        }
    }
}
