import Foundation
import SQift

func printError(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

/// Does a step of the demonstration, and says what it was and how long it took.
func step<T>(_ title: String, _ body: () throws -> T) rethrows -> T {
    let start = DispatchTime.now().uptimeNanoseconds
    defer {
        let milliseconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6
        print(title.padding(toLength: 66, withPad: " ", startingAt: 0) + String(format: "%9.1f ms", milliseconds))
    }
    return try body()
}

/// The line of the SQL that an error is about, with a caret under the token, where SQLite knows it.
func picture(of error: SQLiteError) -> String? {
    guard let sql = error.sql, let offset = error.offset else { return nil }
    let bytes = Array(sql.utf8)
    let newline = UInt8(ascii: "\n")
    let start = bytes[..<offset].lastIndex(of: newline).map { $0 + 1 } ?? 0
    let end = bytes[offset...].firstIndex(of: newline) ?? bytes.count
    let indent = String(decoding: bytes[start..<offset], as: UTF8.self).map { $0 == "\t" ? $0 : " " }
    return "    \(String(decoding: bytes[start..<end], as: UTF8.self))\n    \(String(indent))^"
}

/// A folder for a command's files, removed afterwards.
func withTemporaryFolder<T>(_ body: (URL) throws -> T) throws -> T {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sqift-cli-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}
