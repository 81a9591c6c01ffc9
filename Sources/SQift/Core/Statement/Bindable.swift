import Foundation

/// A type whose values can be bound to a statement's parameters.
///
/// A conformance needs `bindingValue` only. Implement `bind(to:)` too if binding can fail, or to
/// avoid the copy into a ``BindingValue``.
///
/// SQLite: [sqlite3_bind_blob](https://sqlite.org/c3ref/bind_blob.html)
public protocol Bindable: NonisolatedConformance {
    /// The value as SQLite stores it.
    var bindingValue: BindingValue { get }

    /// Binds the value to a parameter. By default it binds `bindingValue`.
    ///
    /// - Throws: An error if the value can't be stored. The statement isn't run then.
    func bind(to slot: borrowing ParameterSlot) throws
}

/// Values for a statement's parameters, in order.
public typealias BindableArray = [(any Bindable)?]

/// Values for a statement's parameters, by name.
public typealias BindableDictionary = [String: (any Bindable)?]

extension Bindable {
    /// Binds what `bindingValue` returns.
    @inlinable public func bind(to slot: borrowing ParameterSlot) throws {
        try slot.bind(bindingValue)
    }
}

extension Optional: Bindable where Wrapped: Bindable {
    /// The wrapped value as SQLite stores it, or NULL.
    public var bindingValue: BindingValue { self?.bindingValue ?? .null }

    /// Binds the wrapped value, or NULL.
    @inlinable public func bind(to slot: borrowing ParameterSlot) throws {
        if let self {
            try self.bind(to: slot)
        } else {
            try slot.bindNull()
        }
    }
}

extension NSNull: Bindable {
    /// Always NULL.
    public var bindingValue: BindingValue { .null }
}
