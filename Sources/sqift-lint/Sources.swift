import Foundation

/// The files of a target and of those that it uses, and what is known of them all.
struct Sources {
    /// The files of the target itself.
    let targetPaths: Set<String>
    let index: Index
    let calls: [Call]
    let schemas: [Schema]
    /// The schemas that comments name, and the lines that they are for.
    private let namedSchemas: [(schema: Schema, file: SourceFile, lines: ClosedRange<Int>)]
    /// What is known of statements for which no schema is found.
    private let unknownSchema: Schema

    init(_ options: Options) throws {
        let own = try options.folders.flatMap(SourceFolder.paths)
        let used = try options.usedFolders.flatMap(SourceFolder.paths)
        let all = Set(own + used).sorted()
        let swift =
            try all
            .filter { $0.hasSuffix(".swift") }
            .map(SourceFolder.read)
        targetPaths = Set(own)
        index = Index(swift)
        let finder = CallFinder(index)
        calls = finder.calls

        let folders = try SourceFolder.migrations(all.filter { $0.hasSuffix(".sql") })
        let migrations = MigrationFinder(index, folders)
        var lists = migrations.lists
        if let path = options.schema ?? own.first(where: { $0.fileName == "Schema.sql" }) {
            lists = [MigrationList(steps: [try SourceFolder.migration(path)])]
        }
        var registered = finder.registered
        unknownSchema = Schema(MigrationList(isPartial: true), registered)
        let each = lists.map { Schema($0, registered) }
        let sum = MigrationList(
            steps: lists.flatMap(\.steps),
            isPartial: lists.isEmpty
                || lists.contains {
                    $0.isPartial
                }
        )
        let whole = Schema(sum, registered)
        let count = each.map(\.definedTables.count).reduce(0, +)
        schemas =
            whole.isPartial || whole.definedTables.count < count
            ? each
            : [whole]
        // Who names a schema knows its tables.
        registered.tables = RegisteredNames().tables
        namedSchemas = try swift.flatMap { file in
            try file.comments.compactMap { comment in
                guard let name = comment.schemaFile else { return nil }
                let step = try SourceFolder.migration(file.path.folder.path(of: name))
                let schema = Schema(MigrationList(steps: [step]), registered)
                return (schema, file, file.lines(after: comment))
            }
        }
    }

    /// The schemas that a call may be meant for, those of its file first.
    func schemas(for call: Call) -> [Schema] {
        if call.isInMigration {
            return [unknownSchema]
        }
        let file = call.name.file
        let named = namedSchemas.last {
            $0.file == file && $0.lines.contains(call.name.line)
        }
        if let named {
            return [named.schema]
        }
        let near = schemas.filter {
            $0.start?.file == file
        }
        let isManifold = near.isEmpty && schemas.count > 8
        return isManifold || schemas.isEmpty ? [unknownSchema] : near + schemas
    }
}
