import Foundation
import Testing

/// Sources in a folder of their own. In their texts, `▸` marks where sqift-lint has to say something.
package struct LintSources {
    package static let mark = "▸"

    package let folder: TemporaryFolder
    /// Where the marks were, by file name and in their order: `Cars.swift:14:18`.
    package let marks: [String]

    /// - Parameter files: The texts by their paths in the folder.
    package init(_ files: [String: String]) throws {
        folder = try TemporaryFolder()
        var marks: [String] = []
        for (path, text) in files.sorted(by: { $0.key < $1.key }) {
            let url = folder.url.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            let parts = text.components(separatedBy: Self.mark)
            var before = ""
            for part in parts.dropLast() {
                before += part
                let lines = before.utf8.split(
                    separator: UInt8(ascii: "\n"),
                    omittingEmptySubsequences: false
                )
                marks.append("\(path):\(lines.count):\(lines[lines.count - 1].count + 1)")
            }
            try parts.joined().write(to: url, atomically: true, encoding: .utf8)
        }
        self.marks = marks
    }

    /// Checks the folder.
    package func run(_ options: [String] = []) throws -> LintRun {
        let run = try LintRun(options + ["."], in: folder.url)
        try #require(run.status >= 0, "sqift-lint ended by signal \(-run.status)")
        return run
    }

    /// Expects messages at the marks, in their order, and no others.
    ///
    /// - Parameter messages: The severity and a part of the text: `error: no such table`.
    @discardableResult package func expect(
        _ messages: [String],
        _ options: [String] = [],
        at location: SourceLocation = #_sourceLocation
    ) throws -> LintRun {
        let run = try run(options)
        let found = run.messages.map { message in
            var place = "\(message.path):\(message.line):\(message.column)"
            place.removeFirst(place.hasPrefix("./") ? 2 : 0)
            return (place: place, text: "\(message.severity.rawValue): \(message.text)")
        }
        // An older SQLite doesn't know the byte: the statement's first is reported.
        let isExact = Capability.errorOffset
        let places = found.map(\.place).map { isExact ? $0 : String($0.prefix { $0 != ":" }) }
        let marks = marks.map { isExact ? $0 : String($0.prefix { $0 != ":" }) }
        #expect(places == marks, "\(found)", sourceLocation: location)
        #expect(found.count == messages.count, "\(found)", sourceLocation: location)
        for (found, expected) in zip(found, messages) {
            let severity = expected.prefix { $0 != ":" } + ": "
            let part = expected.dropFirst(severity.count)
            let isRight = found.text.hasPrefix(severity) && found.text.contains(part)
            #expect(isRight, "\(found.text), not \(expected)", sourceLocation: location)
        }
        let isWrong = messages.contains { $0.hasPrefix("error: ") }
        #expect(run.status == (isWrong ? 1 : 0), sourceLocation: location)
        #expect(run.otherLines.isEmpty, "\(run.otherLines)", sourceLocation: location)
        return run
    }

    /// Expects that each call is checked and nothing is found.
    package func expectClean(
        _ options: [String] = [],
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let run = try expect([], options, at: location)
        let isWhole = run.summary.wholeMatch(of: /checked [1-9][0-9]* statements?/) != nil
        #expect(isWhole, "\(run.summary)", sourceLocation: location)
    }
}
