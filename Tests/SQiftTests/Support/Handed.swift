/// Hands a value that isn't `Sendable` to another thread. From then on only that thread uses it.
package struct Handed<Value>: @unchecked Sendable {
    package let value: Value

    package init(value: Value) {
        self.value = value
    }
}
