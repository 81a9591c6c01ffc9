import Foundation

/// A byte of the sources, or an expression that begins there.
struct Location {
    let file: SourceFile
    let offset: Int
    /// Where the expression ends.
    var end = 0

    /// The expression as it is written.
    var text: String { file.bytes[offset..<end].text }

    /// The names that dots divide in it.
    var path: [String] { text.components(separatedBy: ".") }
}
