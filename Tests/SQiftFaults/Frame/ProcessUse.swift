import CSQift
import CSQiftFaults
import Foundation

/// What the process holds, to be compared with what it held before.
struct ProcessUse {
    let memory = sqlite3_memory_used()
    let layerFiles = sqift_faults_open_files()
    let descriptors = listDescriptors()

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
            let new = now.descriptors.filter { !descriptors.contains($0) }
            leaks.append("\(now.descriptors.count - descriptors.count) descriptors more: \(new)")
        }
        return leaks
    }
}

private let descriptorFolder = "/proc/self/fd"

/// The open descriptors and what they are of, or none where the system doesn't tell.
private func listDescriptors() -> [String] {
    let numbers = (try? fileNames(in: descriptorFolder)) ?? []
    return numbers.compactMap { number in
        let path = "\(descriptorFolder)/\(number)"
        // The folder's own descriptor is gone again. The dispatch library opens some without a file
        // when it needs them, once in a process.
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path),
            !target.hasPrefix("anon_inode:")
        else { return nil }
        return "\(number) of \(target)"
    }
}

/// How many threads there are, or 0 where the system doesn't tell.
func countThreads() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
}
