import Foundation

/// Lets a trap end the process by `exit`, for a test that runs in a process of its own and expects
/// a failure. The process then writes its profile of the coverage, the trap's lines included.
package func exitOnTrap() {
    for trap in [SIGILL, SIGTRAP] {
        signal(trap) { _ in exit(EXIT_FAILURE) }
    }
}
