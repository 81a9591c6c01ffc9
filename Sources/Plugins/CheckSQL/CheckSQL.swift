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
        let folders = ownUsed.map(\.directoryURL.path)
        // The compiler waits for a source file that a command makes.
        let output = context.pluginWorkDirectoryURL.appendingPathComponent("SQLIsChecked.swift")
        let options = folders.flatMap { ["--uses", $0] } + ["--output", output.path]
        return [
            .buildCommand(
                displayName: "Checking the SQL of \(target.name)",
                executable: try context.tool(named: "sqift-lint").url,
                arguments: options + [target.directoryURL.path],
                inputFiles: ([target.directoryURL.path] + folders).flatMap(sources),
                outputFiles: [output]
            )
        ]
    }

    /// The files whose change matters. Those of SQL aren't among a target's sources.
    private func sources(in folder: String) -> [URL] {
        let paths = FileManager.default.enumerator(atPath: folder)
        let own = (paths?.allObjects as? [String] ?? []).filter {
            $0.hasSuffix(".swift") || $0.hasSuffix(".sql")
        }
        let files = own.sorted().map { URL(fileURLWithPath: folder).appendingPathComponent($0) }
        return files + files.flatMap(schemas)
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
