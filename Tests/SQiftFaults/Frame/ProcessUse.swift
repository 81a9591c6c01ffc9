import CSQift
import CSQiftFaults
import Foundation

/// What the process holds, to be compared with what it held before.
struct ProcessUse {
    let memory = sqlite3_memory_used()
    let layerFiles = sqift_faults_open_files()
    let descriptors = countDescriptors()

    /// What is held now and wasn't then.
    func leaks() -> [String] {
        let now = ProcessUse()
        var leaks: [String] = []
        if now.memory != memory {
            leaks.append("SQLite's memory went from \(memory) to \(now.memory) bytes")
        }
        if now.layerFiles != layerFiles {
            leaks.append("open files went from \(layerFiles) to \(now.layerFiles)")
        }
        if now.descriptors != descriptors {
            leaks.append("descriptors went from \(descriptors) to \(now.descriptors)")
        }
        return leaks
    }
}

private let descriptorFolder = "/proc/self/fd"

/// How many descriptors are open, or 0 where the system doesn't tell.
func countDescriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: descriptorFolder).count) ?? 0
}

/// How many threads there are, or 0 where the system doesn't tell.
func countThreads() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
}
