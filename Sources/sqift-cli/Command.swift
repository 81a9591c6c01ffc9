import Foundation
import SQift

let usage = """
    usage: sqift-cli demo                       the library at work, on a database of its own
           sqift-cli demo DATABASE              copy a database row by row, and compare the copy with it
           sqift-cli migrate DATABASE FOLDER    run the .sql files of a folder that the database doesn't have yet
             --to NAME                          no further than this one
             --dry-run                          on a copy: what would they change, or where would they fail?
             --backup FILE                      make a backup before, if any is pending
           sqift-cli backup SOURCE FILE         write a checked copy, while others may write to the source
             --pages N                          so many pages at a time (100)
             --rate MB/S                        not faster than this
           sqift-cli restore FILE DATABASE      put a backup's content into a database, which may be in use
           sqift-cli verify A B                 compare two databases table by table
           sqift-cli check DATABASE             check integrity and foreign keys, and show the journal and pages

    Exit codes: 0 done, sound and equal; 1 failed, damaged or different; 2 usage.
    """

/// Runs the command that the arguments name, and answers the exit code.
func runCommand(_ arguments: [String]) async -> Int32 {
    do {
        let command = try Arguments(arguments)
        switch (command.name, command.operands.count) {
        case ("demo", 0): try await Demo().run()
        case ("demo", 1): return try RowCopy.run(from: command.operands[0]) ? 0 : 1
        case ("migrate", 2): try Migrate(command).run()
        case ("backup", 2): try await Copy(command).backUp()
        case ("restore", 2): try await Copy(command).restore()
        case ("verify", 2):
            return try Verify(command.operands[0], command.operands[1]).run() ? 0 : 1
        case ("check", 1): return try Check.run(command.operands[0]) ? 0 : 1
        case ("help", 0): print(usage)
        default: throw UsageError(message: "")
        }
        return 0
    } catch let error as UsageError {
        printError(error.message + usage)
        return 2
    } catch is CancellationError {
        printError("sqift-cli: cancelled, nothing was changed")
        return 1
    } catch {
        printError("sqift-cli: \(error)")
        let cause = (error as? MigratorError)?.underlyingError ?? error
        if let cause = cause as? SQLiteError, let picture = picture(of: cause) {
            printError(picture)
        }
        return 1
    }
}
