import Testing

/// The suites of this target that block threads. They run one test after another: many at once could
/// hold all the threads that Swift's tasks have.
@Suite(.serialized) enum CopySuites {}
