import Testing

/// A point at which threads meet: none of them continues before all have arrived.
package final class Barrier: Sendable {
    private let count: Int
    private let arrived = SharedCount()
    private let allArrived = Gate()

    package init(of count: Int) {
        self.count = count
    }

    package func wait(sourceLocation: SourceLocation = #_sourceLocation) {
        if arrived.add(1) == count {
            allArrived.open()
        }
        allArrived.wait(sourceLocation: sourceLocation)
    }
}
