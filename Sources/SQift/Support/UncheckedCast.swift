/// The value as a `T`, without the time that a cast takes. The caller knows that it is one.
@inline(__always) func uncheckedCast<Value, T>(_ value: Value, to type: T.Type) -> T {
    unsafeBitCast(value, to: type)
}
