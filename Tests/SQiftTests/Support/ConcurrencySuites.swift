import Testing

/// The suites that block threads. They run one test after another: two of them at once could hold
/// all the threads that Swift's tasks have.
@Suite(.serialized, .timeLimit(.minutes(20))) enum ConcurrencySuites {}
