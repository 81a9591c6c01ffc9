import Foundation

guard let options = Options(CommandLine.arguments.dropFirst()) else {
    try? FileHandle.standardError.write(contentsOf: Data(Options.usage.utf8))
    exit(2)
}
do {
    let checker = Checker(try Sources(options))
    let messages = checker.messages.sorted {
        ($0.file.path, $0.line, $0.column, $0.description)
            < ($1.file.path, $1.line, $1.column, $1.description)
    }
    var previous: String?
    for message in messages where message.description != previous {
        print(message.description)
        previous = message.description
    }
    try? FileHandle.standardError.write(contentsOf: Data("\(checker.summary)\n".utf8))
    let isWrong = checker.messages.contains {
        $0.severity == .error
            || $0.severity == .warning && options.isStrict
    }
    if isWrong {
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
