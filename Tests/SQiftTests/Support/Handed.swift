/// Hands what isn't `Sendable` to another thread, which alone uses it from then on.
struct Handed<Value>: @unchecked Sendable {
    let value: Value
}
