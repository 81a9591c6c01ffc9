import Foundation

extension Data: Binding {
    /// Stored as BLOB.
    public typealias BindingType = Data
    /// The bytes as a BLOB.
    public var bindingValue: BindingValue {
        .blob(self)
    }
    /// The value, if it is a `Data`.
    public static func fromBindingValue(_ value: Any) -> Data? {
        BindingValue(anyValue: value)?.dataValue
    }
    /// Binds a BLOB; an empty one isn't NULL.
    @inlinable public func bind(to slot: borrowing ParameterSlot) throws {
        try slot.bind(self)
    }
    /// Reads a BLOB.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> Data {
        try row.data(at: index)
    }
}

/// The element of an array that is stored as a BLOB: `UInt8`, and no other type.
///
/// It is a protocol because the compiler would take a literal such as `[1, 2]` for bytes if the
/// conformance of `Array` named `UInt8` itself.
public protocol _OnlyUInt8: BitwiseCopyable {}

extension UInt8: _OnlyUInt8 {}

extension Array: Bindable where Element: _OnlyUInt8 {
    /// The bytes as a BLOB.
    public var bindingValue: BindingValue {
        withUnsafeBytes { .blob(Data($0)) }
    }

    /// Binds a BLOB: the array is one value, not a list of parameters. An empty one isn't NULL.
    ///
    /// A BLOB is read as `Data`, or without a copy by ``Row/withUnsafeBytes(at:_:)``.
    public func bind(to slot: borrowing ParameterSlot) throws {
        try withUnsafeBytes { try slot.bind($0, isText: false) }
    }
}
