import Foundation

extension BindingValue: Binding {
    /// The type itself: any storage class fits.
    public typealias BindingType = BindingValue

    /// The value itself.
    public var bindingValue: BindingValue { self }

    /// The value as SQLite would store it.
    public static func fromBindingValue(_ value: Any) -> BindingValue? {
        BindingValue(anyValue: value)
    }

    /// Reads any column, NULL as `.null`. Read as an optional, NULL is nil.
    public static func decode(from row: Row, at index: Int) throws -> BindingValue {
        try row.bindingValue(at: index)
    }
}
