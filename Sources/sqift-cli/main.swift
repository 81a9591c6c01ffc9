import Foundation

exit(await runCommand(Array(CommandLine.arguments.dropFirst())))
