import Foundation

/// What closures reported, in order.
final class Notes<Element> {
    var all: [Element] = []

    func note(_ element: Element) {
        all.append(element)
    }

    /// Returns what was noted since the last call.
    func take() -> [Element] {
        defer { all = [] }
        return all
    }
}

/// What closures on several threads reported, in order.
final class SharedNotes<Element: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var elements: [Element] = []

    func note(_ element: Element) {
        lock.withLock { elements.append(element) }
    }

    var all: [Element] { lock.withLock { elements } }
}
