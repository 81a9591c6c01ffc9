import Foundation

/// Writes a line to the standard output at once, whole even where several threads and processes
/// write.
func say(_ line: String) {
    _ = Array((line + "\n").utf8).withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}
