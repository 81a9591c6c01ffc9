import Foundation

// A standard stream that is closed would give its number to the next file that is opened, and the
// output would be written into that file.
for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
    _ = open("/dev/null", O_RDWR)
}
// If the output is no longer read, the work goes on.
signal(SIGPIPE, SIG_IGN)

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
let actionAtHangUp = unsafeBitCast(signal(SIGHUP, SIG_IGN), to: Int.self)
// `nohup` has it ignored.
let isHangUpIgnored = actionAtHangUp == unsafeBitCast(SIG_IGN, to: Int.self)
let endingSignals = [SIGINT, SIGTERM] + (isHangUpIgnored ? [] : [SIGHUP])
let signalSources = endingSignals.map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { command.cancel() }
    source.resume()
    return source
}
exit(await command.value)
