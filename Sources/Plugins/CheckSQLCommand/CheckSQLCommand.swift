import Foundation
import PackagePlugin

/// Checks the SQL of a package's targets: `swift package check-sql [--target NAME] [OPTION…]`.
@main struct CheckSQLCommand: CommandPlugin {
    private static let usage = """
        usage: swift package check-sql [--target NAME]... [options]

        Checks the SQL in the sources of the package's targets.

          --target NAME     only this target; may be repeated
          --schema FILE     SQL or a database in place of the migrations
          --oldest VERSION  warn of SQL that is newer than SQLite 3.39, say
          --no-null         don't warn of NULL
          --list            list each call, and why it wasn't checked
          --strict          fail also for a warning
        """

    func performCommand(context: PluginContext, arguments: [String]) throws {
        guard !arguments.contains("--help") else {
            return print(Self.usage)
        }
        var extractor = ArgumentExtractor(arguments)
        let names = extractor.extractOption(named: "target")
        let tool = try context.tool(named: "sqift-lint").url
        let targets = context.package.targets.compactMap { $0 as? SourceModuleTarget }
        let unknown = names.filter { name in !targets.contains { $0.name == name } }
        guard unknown.isEmpty else {
            return Diagnostics.error("there is no target \(unknown.joined(separator: ", "))")
        }
        for target in targets where names.isEmpty || names.contains(target.name) {
            let used = target.recursiveTargetDependencies.compactMap { $0 as? SourceModuleTarget }
            let ownUsed = used.filter { other in targets.contains { $0.id == other.id } }
            let uses = ownUsed.flatMap(sources).flatMap { ["--uses", $0.path] }
            let files = sources(of: target).map(\.path)
            guard !files.isEmpty else { continue }
            let process = Process()
            process.executableURL = tool
            process.arguments = uses + extractor.remainingArguments + files
            print("\(target.name):")
            try process.run()
            process.waitUntilExit()
            switch process.terminationStatus {
            case 0: break
            case 1: Diagnostics.error("the SQL of \(target.name) isn't right")
            default: return Diagnostics.error("these options aren't understood\n\n\(Self.usage)")
            }
        }
    }

    /// The Swift and SQL files of a target, without those that it excludes. A resource may be a
    /// folder of such files.
    private func sources(of target: any SourceModuleTarget) -> [URL] {
        target.sourceFiles.map(\.url).flatMap { url -> [URL] in
            let files = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
            return [url] + (files?.allObjects as? [URL] ?? [])
        }
        .filter { ["swift", "sql"].contains($0.pathExtension) }
        .sorted { $0.path < $1.path }
    }
}
