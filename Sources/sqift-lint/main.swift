import Foundation

guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
    FileHandle.standardError.write(Data((Options.usage + "\n").utf8))
    exit(2)
}
do {
    let checker = Checker(try Sources(options), options)
    let messages = Set(checker.messages).sorted {
        ($0.path, $0.line, $0.column, $0.text)
            < ($1.path, $1.line, $1.column, $1.text)
    }
    for message in messages {
        print(message.description)
    }
    FileHandle.standardError.write(Data("\(checker.summary)\n".utf8))
    if messages.contains(where: { $0.severity == .error }) {
        exit(1)
    }
    if let output = options.output {
        try Data().write(to: URL(fileURLWithPath: output))
    }
} catch {
    print("error: \(error.localizedDescription)")
    exit(1)
}
