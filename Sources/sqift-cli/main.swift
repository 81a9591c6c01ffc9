import Foundation
import SQift

let usage = """
    usage: sqift-cli demo              make a database in a temporary folder, fill it, query it
           sqift-cli demo DATABASE     copy a database row by row, and compare the copy with it
           sqift-cli check DATABASE    check a database's integrity and foreign keys, and show its journal and pages

    Exit codes: 0 done and sound, 1 failed, different or damaged, 2 usage.
    """

/// Runs the command that the arguments name, and answers the exit code.
func runCommand(_ arguments: [String]) -> Int32 {
    do {
        switch (arguments.first, arguments.count) {
        case ("demo", 1):
            try Demo().run()
            return 0
        case ("demo", 2): return try RowCopy.run(from: arguments[1]) ? 0 : 1
        case ("check", 2): return try Check.run(arguments[1]) ? 0 : 1
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
