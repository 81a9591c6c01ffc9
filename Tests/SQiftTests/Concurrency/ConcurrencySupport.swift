import Testing

@Suite(.serialized) enum ConcurrencySuites {}
