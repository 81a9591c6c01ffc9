/// Hands a value that isn't `Sendable` to another thread. From then on only that thread uses it.
struct Handed<Value>: @unchecked Sendable {
    let value: Value
}
