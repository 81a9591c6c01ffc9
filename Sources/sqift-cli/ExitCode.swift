/// How the tool ended, for scripts.
enum ExitCode: Int32, Encodable {
    /// Done; sound; equal.
    case done = 0
    /// Failed; damaged; different; migrations are pending.
    case failed = 1
    /// Called with wrong arguments.
    case usage = 2
    /// Not everything could be checked; the rest is sound.
    case incomplete = 3
    /// Ended by Ctrl-C: the number that shells use.
    case interrupted = 130
}
