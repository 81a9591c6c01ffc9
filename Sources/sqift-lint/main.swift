import Foundation

guard let options = Options(CommandLine.arguments.dropFirst()) else {
    try? FileHandle.standardError.write(contentsOf: Data(Options.usage.utf8))
    exit(2)
}
do {
    let checker = Checker(try Sources(options))
    let lines = Set(checker.messages.map(\.description)).sorted(
        using: String.Comparator(options: .numeric)
    )
    lines.forEach { print($0) }
    try? FileHandle.standardError.write(contentsOf: Data("\(checker.summary)\n".utf8))
    if checker.messages.contains(where: { $0.severity == .error }) {
        exit(1)
    }
    if let output = options.output {
        try Data().write(to: URL(fileURLWithPath: output))
    }
} catch {
    let path = (error as NSError).userInfo[NSFilePathErrorKey] ?? "sqift-lint"
    print("\(path): error: \(error.localizedDescription)")
    exit(1)
}
