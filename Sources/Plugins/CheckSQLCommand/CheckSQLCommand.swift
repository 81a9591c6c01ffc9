import Foundation
import PackagePlugin

/// Checks the SQL of a package's targets: `swift package check-sql [--target NAME] [OPTION…]`.
@main struct CheckSQLCommand: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
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
            default: return Diagnostics.error("these options aren't understood")
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
