import Testing

// The suites that block threads. In each of these they run one test after another: many at once
// could hold all the threads that Swift's tasks have.

@Suite(.serialized) package enum ConcurrencySuites {}

@Suite(.serialized) package enum DatabaseSuites {}

@Suite(.serialized) package enum ObservationSuites {}
