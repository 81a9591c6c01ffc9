import Foundation
import PackagePlugin

/// Checks the SQL in a target's sources before the target is compiled.
@main struct CheckSQL: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? SourceModuleTarget else { return [] }
        let used = target.recursiveTargetDependencies.compactMap { $0 as? SourceModuleTarget }
        let ownUsed = used.filter { other in
            context.package.targets.contains { $0.id == other.id }
        }
        // The compiler waits for a source file that a command makes.
        let output = context.pluginWorkDirectoryURL.appendingPathComponent("SQLIsChecked.swift")
        let files = sources(of: target)
        let usedFiles = ownUsed.flatMap(sources)
        let options = usedFiles.flatMap { ["--uses", $0.path] } + ["--output", output.path]
        return [
            .buildCommand(
                displayName: "Checking the SQL of \(target.name)",
                executable: try context.tool(named: "sqift-lint").url,
                arguments: options + files.map(\.path),
                inputFiles: (files + usedFiles).flatMap { [$0] + schemas(of: $0) },
                outputFiles: [output]
            )
        ]
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

    /// The files that a source's comments name as schemas, wherever they are.
    private func schemas(of source: URL) -> [URL] {
        let text = try? String(contentsOf: source, encoding: .utf8)
        let names = text?.components(separatedBy: "sqift: schema ").dropFirst() ?? []
        let files = names.map { name in
            let line = name.prefix { !$0.isNewline }.trimmingCharacters(in: .whitespaces)
            return source.deletingLastPathComponent().appendingPathComponent(line)
        }
        return files.filter {
            FileManager.default.fileExists(atPath: $0.path)
        }
    }
}
