/// What is printed about a place in the sources.
struct Message {
    enum Severity {
        case error, warning, note
    }

    let severity: Severity
    let text: String
    let file: SourceFile
    let line: Int
    let column: Int
    /// As the compiler's own messages: `Cars.swift:14:18: error: no such column: naame`
    let description: String

    init(_ severity: Severity, _ text: String, at location: Location) {
        self.severity = severity
        self.text = text
        file = location.file
        (line, column) = file.position(of: location.offset)
        description = "\(file.path):\(line):\(column): \(severity): \(text)"
    }
}
