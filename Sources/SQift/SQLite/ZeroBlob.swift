import Foundation

/// A blob whose bytes are all 0. Binding it takes no memory for them. Bind it, or return it from a
/// function, and then fill it through ``Blob``.
public struct ZeroBlob: Bindable, Sendable, Hashable {
    /// The number of bytes, at least 0.
    public let count: Int

    /// Creates the value. A negative count becomes 0.
    public init(count: Int) {
        self.count = max(count, 0)
    }

    /// The bytes themselves, which do take memory: at most 2 GiB, the maximum that SQLite can be
    /// built to store.
    public var bindingValue: BindingValue { .blob(Data(count: min(count, Int(Int32.max)))) }

    /// Binds the number of bytes.
    ///
    /// - Throws: `SQLiteError` (`SQLITE_TOOBIG`) if the count exceeds SQLite's limit of the length.
    public func bind(to slot: borrowing ParameterSlot) throws {
        try slot.bind(zeroBlobOf: count)
    }
}
