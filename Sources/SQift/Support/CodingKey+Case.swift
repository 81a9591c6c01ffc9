extension CodingKey {
    /// Whether it is a case without values, as the keys are that the compiler writes. Any other key
    /// may have come from the data.
    var isCase: Bool {
        let mirror = Mirror(reflecting: self)
        return mirror.displayStyle == .enum && mirror.children.isEmpty
    }
}
