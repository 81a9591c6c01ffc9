import Foundation
import SQift

let usage = """
    usage: sqift-cli demo             make a database in a temporary folder, fill it, query it
           sqift-cli demo DATABASE    copy a database row by row, and compare the copy with it

    Exit codes: 0 done, 1 failed or different, 2 usage.
    """

/// Runs the command that the arguments name, and answers the exit code.
func runCommand(_ arguments: [String]) -> Int32 {
    do {
        switch (arguments.first, arguments.count) {
        case ("demo", 1):
            try Demo().run()
            return 0
        case ("demo", 2):
            return try RowCopy.run(from: arguments[1]) ? 0 : 1
        case ("--help", 1), ("-h", 1), ("help", 1):
            print(usage)
            return 0
        default:
            printError(usage)
            return 2
        }
    } catch {
        printError("sqift-cli: \(error)")
        if let error = error as? SQLiteError, let picture = picture(of: error) { printError(picture) }
        return 1
    }
}

exit(runCommand(Array(CommandLine.arguments.dropFirst())))
