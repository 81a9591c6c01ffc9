/// The reason of an error. It prints as its name in Swift.
protocol ErrorReason: Sendable, Hashable, CustomStringConvertible {
    var name: String { get }
}

extension ErrorReason {
    public var description: String { name }
}
