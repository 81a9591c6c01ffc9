/// What a command that failed prints with `--json`.
struct FailureReport: CommandReport {
    let error: String
    let exitCode: ExitCode

    func printText() {}
}
