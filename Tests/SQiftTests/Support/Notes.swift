import Foundation

/// What closures reported, in order.
package final class Notes<Element> {
    package var all: [Element] = []

    package init(all: [Element] = []) {
        self.all = all
    }

    package func note(_ element: Element) {
        all.append(element)
    }

    /// Returns what was noted since the last call.
    package func take() -> [Element] {
        defer { all = [] }
        return all
    }
}

/// What closures on several threads reported, in order.
package final class SharedNotes<Element: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var elements: [Element] = []

    package init() {}

    package func note(_ element: Element) {
        lock.withLock { elements.append(element) }
    }

    package var all: [Element] { lock.withLock { elements } }
}
