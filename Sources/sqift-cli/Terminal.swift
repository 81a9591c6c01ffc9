import Foundation
import SQift

/// Whether errors and progress are seen by somebody, and not written to a file or a pipe.
let isTerminal = isatty(STDERR_FILENO) != 0

/// Prints to standard error, in the place of a progress bar and the terminal's `^C`.
func printError(_ text: String) {
    let start = isTerminal ? "\r\u{1B}[K" : ""
    FileHandle.standardError.write(Data((start + text + "\n").utf8))
}

/// `1 row`, `2 rows`.
func counted(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}

/// A line for each pair, the second ones below each other.
func inColumns(_ lines: [(String, String)]) -> String {
    lines.map { "  " + $0.padding(toLength: 28, withPad: " ", startingAt: 0) + $1 + "\n" }.joined()
}

/// Prints rows of as many columns, the first one on the left, the others on the right.
func printTable(_ rows: [[String]]) {
    let widths = (0..<(rows.first?.count ?? 0)).map { column in
        rows.map { $0[column].count }.max() ?? 0
    }
    for row in rows {
        let cells = zip(row, widths).enumerated().map { index, cell in
            let space = String(repeating: " ", count: cell.1 - cell.0.count)
            return index == 0 ? cell.0 + space : space + cell.0
        }
        print(cells.joined(separator: "  "))
    }
}

/// Does a step of the demonstration, and says what it was and how long it took.
func step<T>(_ title: String, _ body: () throws -> T) rethrows -> T {
    let start = DispatchTime.now().uptimeNanoseconds
    defer { printStep(title, since: start) }
    return try body()
}

/// The same for a step that waits.
func step<T: Sendable>(_ title: String, _ body: @Sendable () async throws -> T) async rethrows -> T
{
    let start = DispatchTime.now().uptimeNanoseconds
    defer { printStep(title, since: start) }
    return try await body()
}

private func printStep(_ title: String, since start: UInt64) {
    let milliseconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6
    print(
        title.padding(toLength: 66, withPad: " ", startingAt: 0)
            + String(format: "%9.1f ms", milliseconds)
    )
}

/// The line of the SQL that an error is about, with a caret under the token, where SQLite knows it.
func picture(of error: SQLiteError) -> String? {
    guard let sql = error.sql, let offset = error.offset else { return nil }
    let bytes = Array(sql.utf8)
    let newline = UInt8(ascii: "\n")
    let start = bytes[..<offset].lastIndex(of: newline).map { $0 + 1 } ?? 0
    let end = bytes[offset...].firstIndex(of: newline) ?? bytes.count
    let indent = String(decoding: bytes[start..<offset], as: UTF8.self).map {
        $0 == "\t" ? $0 : " "
    }
    return "    \(String(decoding: bytes[start..<end], as: UTF8.self))\n    \(String(indent))^"
}

/// A folder for a command's files, to be removed afterwards.
func makeTemporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "sqift-cli-\(UUID().uuidString)"
    )
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
}
