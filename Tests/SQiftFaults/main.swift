import Foundation

exit(runFaults(Array(CommandLine.arguments.dropFirst())))
