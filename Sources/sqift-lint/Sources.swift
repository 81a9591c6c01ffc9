import Foundation

/// The files of a target and of those that it uses, and what is known of them all.
struct Sources {
    /// The files of the target itself.
    let targetPaths: Set<String>
    let index: Index
    let calls: [Call]
    let registered: RegisteredNames
    let schemas: [Schema]
    /// The schemas that comments name, and the lines that they are for.
    private let namedSchemas: [(schema: Schema, file: SourceFile, lines: ClosedRange<Int>)]
    /// What is known of statements for which no schema is found.
    private let unknownSchema: Schema
    /// The braces of migrations, whose calls are checked in their order.
    private let migrationClosures: Set<Cursor>
    private let listedClosures: Set<Cursor>
    /// The names of what is defined outside the migrations, in lower case.
    private(set) var looseTables: Set<String> = []

    init(_ options: Options) throws {
        let own = try options.folders.flatMap(SourceFolder.paths)
        let used = try options.usedFolders.flatMap(SourceFolder.paths)
        let all =
            own
            + used.filter {
                !own.contains($0)
            }
        let swift = try all.filter { $0.hasSuffix(".swift") }.map(SourceFolder.read)
        targetPaths = Set(own)
        index = Index(swift)
        let finder = CallFinder(index)
        calls = finder.calls
        let registered = finder.registered
        self.registered = registered
        unknownSchema = Schema(MigrationList(isPartial: true), registered)

        let folders = try SourceFolder.migrations(all.filter { $0.hasSuffix(".sql") })
        let migrations = MigrationFinder(index, calls, folders)
        migrationClosures = migrations.closures
        listedClosures = migrations.listedClosures
        var lists = migrations.lists
        if let path = options.schema ?? own.first(where: { $0.fileName == "Schema.sql" }) {
            lists = [try SourceFolder.schema(path)]
        }
        schemas = lists.map { Schema($0, registered) }
        namedSchemas = try swift.flatMap { file in
            try file.comments.compactMap { comment in
                guard let name = comment.schemaFile else { return nil }
                let path = file.path.folder.path(of: name)
                let schema = Schema(try SourceFolder.schema(path), registered)
                return (schema, file, file.lines(after: comment))
            }
        }
        for call in calls where !isInMigration(call) {
            addLooseTables(of: call)
        }
    }

    private mutating func addLooseTables(of call: Call) {
        for statement in call.words.statements {
            guard let table = statement.definition?.name else { continue }
            looseTables.insert(table)
            // What RENAME TO makes.
            if statement.verb == "alter", let last = statement.last {
                looseTables.insert(last.text.lowercased())
            }
        }
    }

    /// The schemas that a call may be meant for: the nearest, or those that could be.
    func schemas(for call: Call) -> [Schema] {
        if isInMigration(call) {
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
        for brace in call.name.braces {
            let inside = near.filter {
                $0.start?.braces.contains(brace) == true
            }
            if !inside.isEmpty {
                return inside
            }
        }
        let fitting = near.isEmpty ? schemas : near
        return fitting.isEmpty || near.isEmpty && fitting.count > 8
            ? [unknownSchema]
            : fitting
    }

    private func isInMigration(_ call: Call) -> Bool {
        call.name.braces.contains(where: migrationClosures.contains)
    }

    /// Whether the making of a schema checks the SQL of the call.
    func isInList(_ call: Call) -> Bool {
        call.name.braces.contains(where: listedClosures.contains)
    }
}
