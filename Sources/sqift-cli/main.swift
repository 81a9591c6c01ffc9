import Foundation

// `CommandLine.arguments` repairs an argument that isn't UTF-8. A repaired path would name another
// file.
let arguments = CommandLine.arguments.indices.dropFirst().map { index in
    CommandLine.unsafeArgv[index].flatMap { String(validatingCString: $0) }
}
if let index = arguments.firstIndex(of: nil) {
    Terminal.printError(
        "sqift-cli: argument \(index + 1) isn't UTF-8, so it can't be used"
    )
    exit(ExitCode.usage.rawValue)
}

let command = Task { await runCommand(arguments.compactMap { $0 }) }
let signalSources = [SIGINT, SIGTERM].map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { command.cancel() }
    source.resume()
    return source
}
exit(await command.value)
