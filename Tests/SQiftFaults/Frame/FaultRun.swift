import Foundation

/// What one technique knows of its run, and where it reports to.
///
/// Threads may report at the same time.
final class FaultRun: Sendable {
    let technique: String
    let options: Options
    /// The folder to work in, which is removed at the end.
    let folder: String
    private let started = ContinuousClock.now
    private let mark: Mark
    private let counts = Locked(Counts())

    private struct Counts {
        var tried = 0
        var available = 0
        var failures = 0
        var failuresOfKind: [String: Int] = [:]
        var errors: [String: Int] = [:]
        var notes: [String] = []
    }

    init(technique: String, options: Options, folder: String) {
        self.technique = technique
        self.options = options
        self.folder = folder
        mark = Mark(folder: folder)
    }

    var failureCount: Int { counts.withLock { $0.failures } }

    var triedCount: Int { counts.withLock { $0.tried } }

    /// Random numbers that are the same for the same seed and name.
    func generator(for name: String) -> SeededGenerator {
        SeededGenerator(state: name.utf8.reduce(options.seed) { ($0 &* 31) &+ UInt64($1) })
    }

    /// Numbers below `count` with the same distance, from a random one on; all of them in the long
    /// run.
    func sample(
        _ count: Int,
        atMost limit: Int,
        using generator: inout SeededGenerator
    ) -> StrideTo<Int> {
        let step = options.isLong ? 1 : max((count + limit - 1) / limit, 1)
        return stride(from: .random(in: 0..<step, using: &generator), to: count, by: step)
    }

    /// The command that tries one point again.
    func replay(_ point: String) -> String {
        Self.replay(point, of: technique, seed: options.seed)
    }

    static func replay(_ point: String, of technique: String, seed: UInt64) -> String {
        "swift run SQiftFaults \(technique) --seed \(seed) --point \(point)"
    }

    // MARK: Reports

    /// Notes what is tried now, for the case that the process ends there.
    func begin(_ point: String) {
        mark.set(point)
        counts.withLock { $0.tried += 1 }
    }

    /// Says that the process still works, where one point takes long.
    func showProgress(_ text: String) {
        mark.set(text)
    }

    /// Adds to how many points there would be to try.
    func addAvailable(_ count: Int) {
        counts.withLock { $0.available += count }
    }

    /// Adds to how many points were tried, where they have no number.
    func addTried(_ count: Int) {
        counts.withLock { $0.tried += count }
    }

    /// Counts what an operation threw.
    func count(_ error: any Error) {
        counts.withLock { $0.errors[nameOfError(error), default: 0] += 1 }
    }

    /// Reports a broken promise.
    ///
    /// - Parameter kind: What failures have in common of which some are shown and the others only
    ///   counted.
    func fail(_ point: String, _ problems: [String], kind: String? = nil) {
        let count = counts.withLock { counts in
            counts.failures += 1
            counts.failuresOfKind[kind ?? technique, default: 0] += 1
            return counts.failuresOfKind[kind ?? technique, default: 0]
        }
        let limit = kind == nil ? 20 : 3
        if count <= limit {
            say("FAILED \(technique) \(point): \(problems.joined(separator: "; "))")
            say("    again: \(replay(point))")
        } else if count == limit + 1 {
            say("more failures of \(kind ?? technique) are only counted")
        }
    }

    /// Adds something to the line of the result.
    func note(_ text: String) {
        counts.withLock { $0.notes.append(text) }
    }

    func printResult() {
        let counts = counts.withLock { $0 }
        for (kind, count) in counts.failuresOfKind.sorted(by: { $0.value > $1.value })
        where counts.failuresOfKind.count > 1 {
            say("\(count) failed of \(kind)")
        }
        let seconds = (ContinuousClock.now - started) / .seconds(1)
        let all = counts.available > 0 ? " of \(counts.available)" : ""
        let errors = counts.errors.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }
        var parts = ["\(counts.tried)\(all) points"] + counts.notes
        if !errors.isEmpty {
            parts.append("threw " + errors.joined(separator: " "))
        }
        parts += ["\(counts.failures) failed", String(format: "%.1f s", seconds)]
        say(technique.padded(to: 11) + parts.joined(separator: ", "))
    }
}
