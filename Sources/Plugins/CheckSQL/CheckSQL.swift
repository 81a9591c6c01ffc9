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
        let command = command(
            running: try context.tool(named: "sqift-lint").url,
            on: sources(among: target.sourceFiles.map(\.url)),
            using: sources(among: ownUsed.flatMap { $0.sourceFiles.map(\.url) }),
            of: target.name,
            in: context.pluginWorkDirectoryURL
        )
        return [command]
    }

    private func command(
        running tool: URL,
        on files: [URL],
        using usedFiles: [URL],
        of target: String,
        in folder: URL
    ) -> Command {
        // The compiler waits for a source file that a command makes.
        let output = folder.appendingPathComponent("SQLIsChecked.swift")
        let options = usedFiles.flatMap { ["--uses", $0.path] } + ["--output", output.path]
        return .buildCommand(
            displayName: "Checking the SQL of \(target)",
            executable: tool,
            arguments: options + files.map(\.path),
            inputFiles: (files + usedFiles).flatMap { [$0] + schemas(of: $0) },
            outputFiles: [output]
        )
    }

    /// The Swift and SQL files among those of a target, which has left out what it excludes. A
    /// resource may be a folder of such files.
    private func sources(among files: [URL]) -> [URL] {
        let all = files.flatMap { url -> [URL] in
            let inner = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
            return [url] + (inner?.allObjects as? [URL] ?? [])
        }
        return
            all
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

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin

    extension CheckSQL: XcodeBuildToolPlugin {
        func createBuildCommands(
            context: XcodePluginContext,
            target: XcodeTarget
        ) throws -> [Command] {
            let command = command(
                running: try context.tool(named: "sqift-lint").url,
                on: sources(among: target.inputFiles.map(\.url)),
                using: [],
                of: target.displayName,
                in: context.pluginWorkDirectoryURL
            )
            return [command]
        }
    }
#endif
