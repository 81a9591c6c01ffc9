/// An error that isn't one of SQift's.
package struct TestError: Error, Equatable {
    package var reason = "no"

    package init(reason: String = "no") {
        self.reason = reason
    }
}
