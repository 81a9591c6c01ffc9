import Foundation

/// The files of a target and of those that it uses, and what is known of them all.
struct Sources {
    /// The files of the target itself.
    let targetFiles: [SourceFile]
    let options: Options
    let index: Index
    let calls: [Call]
    let schemas: [Schema]
    /// The schemas that comments name, and the lines that they are for.
    private let namedSchemas: [(schema: Schema, file: SourceFile, lines: ClosedRange<Int>)]
    /// What is known of statements for which no schema is found.
    private let unknownSchema: Schema

    init(_ options: Options) throws {
        self.options = options
        targetFiles = try SourceFile.all(in: options.folders)
        index = Index(try targetFiles + SourceFile.all(in: options.usedFolders))
        let migrations = MigrationFinder(index)
        let finder = CallFinder(index)
        calls = finder.calls

        var lists = migrations.lists
        // The target's own comes first, then those of the targets that it uses.
        let schemaFile = index.files.first { $0.path.fileName == "Schema.sql" }
        let unknown = MigrationList(doubt: Doubt("no migrations are found"))
        if let file = try options.schema.map(SourceFile.init(reading:)) ?? schemaFile {
            lists = [MigrationList(schemaFile: file)]
        } else if lists.isEmpty {
            lists = [unknown]
        }
        var registered = finder.registered
        registered.oldest = options.oldest
        let scratch = ScratchDatabase(registered)
        registered.changes = registered.changes.map { $0.resolved(in: scratch) }
        unknownSchema = Schema(unknown, registered)
        let each = lists.indices.map { number in
            var registered = registered
            let others = lists.indices.filter { $0 != number }
                .flatMap { lists[$0].foreignChanges }
            registered.changes += others.map { $0.resolved(in: scratch) }
            return Schema(lists[number], registered)
        }
        let sum = MigrationList(
            steps: lists.flatMap(\.steps),
            doubt: lists.lazy.compactMap(\.doubt).first,
            isSchemaFile: lists.contains(where: \.isSchemaFile)
        )
        let whole = Schema(sum, registered)
        let count = each.map(\.definedTables.count).reduce(0, +)
        let isOne =
            whole.doubt == nil
            && !whole.hasFailed
            && whole.definedTables.count == count
        schemas = isOne ? [whole] : each
        // Who names a schema knows its tables.
        registered.tables = []
        namedSchemas = try index.files.flatMap { file in
            try file.code.comments.compactMap { comment in
                guard let name = comment.schemaFile else { return nil }
                let other = try SourceFile(reading: file.path.folder.path(of: name))
                return (
                    Schema(MigrationList(schemaFile: other), registered),
                    file,
                    file.lines(of: comment)
                )
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
            $0.file == file
                && $0.lines.contains(call.name.line)
        }
        if let named {
            return [named.schema]
        }
        // Those that make one of its tables, if any does.
        let names = Set(call.words.compactMap(\.name))
        let fitting = schemas.filter { !$0.namedTables.isDisjoint(with: names) }
        let near = schemas.filter { $0.start?.file == file }
        // What is about none of the tables is the same for all that are known whole.
        let other = schemas.first { $0.doubt == nil } ?? schemas.first
        return near + (fitting.isEmpty ? [other].compactMap(\.self) : fitting)
    }
}
