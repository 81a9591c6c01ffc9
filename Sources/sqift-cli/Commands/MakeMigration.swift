import Foundation
import SQift

/// Makes an empty file for a migration, and prints its path.
func makeMigration(_ arguments: Arguments) throws {
    let folder = URL(fileURLWithPath: arguments.operands[0])
    let name = arguments.operands[1].split(whereSeparator: \.isWhitespace).joined(separator: "-")
    guard !name.isEmpty, !name.contains("/") else {
        throw UsageError("NAME is a name such as add-owner, not \"\(arguments.operands[1])\"")
    }

    if !DatabaseFile(folder.path).exists {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }
    let others = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let highest = others.compactMap { UInt64($0.prefix { "0"..."9" ~= $0 }) }.max() ?? 0
    let now: UInt64 = try Connection().query(
        "SELECT CAST(strftime('%Y%m%d%H%M%S', 'now') AS INTEGER)"
    )
    // It comes last, even if the last one was made in the same second.
    let number = max(now, highest &+ 1)

    let file = folder.appendingPathComponent("\(number)-\(name).sql")
    try Data().write(to: file, options: .withoutOverwriting)
    print(file.relativePath)
}
