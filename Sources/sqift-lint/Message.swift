/// What is printed about a place in the sources.
struct Message {
    enum Severity: String {
        case error, warning, note
    }

    let severity: Severity
    let path: String
    let line: Int
    /// As the compiler's own messages: `Cars.swift:14:18: error: no such column: naame`
    let description: String

    init(_ severity: Severity, _ text: String, at location: Location?) {
        self.severity = severity
        path = location?.file.path ?? "?"
        let position = location.map {
            $0.file.position(of: $0.offset)
        }
        line = position?.line ?? 1
        // In bytes, from 1.
        let column = position?.column ?? 1
        description = "\(path):\(line):\(column): \(severity.rawValue): \(text)"
    }
}
