/// An error that isn't one of SQift's.
struct TestError: Error, Equatable {
    var reason = "no"
}
