import Foundation

/// The files of a target and of those that it uses, and what is known of them all.
struct Sources {
    /// The Swift files of the target itself.
    let targetPaths: Set<String>
    let index: Index
    let calls: [Call]
    let registered: RegisteredNames
    let schemas: [Schema]
    /// The schemas that comments name, and the calls that they are for.
    private let namedSchemas: [(schema: Schema, file: SourceFile, lines: ClosedRange<Int>)]
    /// The closures of migrations, whose calls are checked in their order.
    let migrationClosures: [ObjectIdentifier: [Int]]
    /// The names of what is defined outside the migrations, in lower case.
    let looseNames: Set<String>
    /// The files that can't be followed to their ends.
    let brokenPaths: [String]

    private static let limit = 8

    init(_ options: Options) throws {
        let own = try options.folders.flatMap { try Self.files(in: $0) }
        let used = try options.usedFolders.flatMap { try Self.files(in: $0) }
        let all = own + used.filter { !own.contains($0) }
        let swift = try all.filter { $0.hasSuffix(".swift") }.map(Self.read)
        let targetPaths = Set(own)
        self.targetPaths = targetPaths
        brokenPaths = swift.filter { !$0.isWhole && targetPaths.contains($0.path) }.map(\.path)
        let index = Index(swift)

        var finder = CallFinder(index)
        finder.addAttachedDatabases()
        let calls = finder.calls
        let registered = finder.registered
        self.index = index
        self.calls = calls
        self.registered = registered
        let folders = try Self.migrations(all.filter { $0.hasSuffix(".sql") })
        let migrations = MigrationFinder(index, calls, folders)
        migrationClosures = migrations.closures

        let file =
            options.schema ?? own.first { ($0 as NSString).lastPathComponent == "Schema.sql" }
        if let file {
            schemas = [Schema(try Self.list(fromSchema: file), registered)]
        } else {
            schemas = migrations.lists.map { Schema($0, registered) }
        }
        namedSchemas = try swift.flatMap { file in
            try file.comments.compactMap { comment in
                guard let name = comment.schemaFile else { return nil }
                let folder = (file.path as NSString).deletingLastPathComponent
                let path = (folder as NSString).appendingPathComponent(name)
                let schema = Schema(try Self.list(fromSchema: path), registered)
                return (schema, file, file.lines(after: comment))
            }
        }
        looseNames = Self.looseNames(in: calls, besides: migrations.closures)
    }

    /// The schemas that a call may be meant for: the nearest, or those that could be.
    func schemas(for call: Call) -> [Schema] {
        let file = call.file
        let line = file.line(of: file.tokens[call.token].range.lowerBound)
        let named = namedSchemas.last { $0.file === file && $0.lines.contains(line) }
        if let named {
            return [named.schema]
        }
        guard schemas.count > 1 else { return schemas }
        let near = schemas.filter { $0.location?.source.file === file }
        let braces = file.braces(around: call.token)
        for brace in braces {
            let inside = near.filter { file.isInside($0.location?.token ?? -1, brace) }
            if !inside.isEmpty {
                return inside
            }
        }
        if !near.isEmpty {
            return near
        }
        return schemas.count > Sources.limit ? [] : schemas
    }

    func isInMigration(_ call: Call) -> Bool {
        (migrationClosures[ObjectIdentifier(call.file)] ?? []).contains { closure in
            call.file.isInside(call.token, closure)
        }
    }

    // MARK: Files

    private static func files(in folder: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: folder])
        }
        if !isFolder.boolValue {
            return [folder]
        }
        let paths = FileManager.default.enumerator(atPath: folder)
        var result: [String] = []
        while let path = paths?.nextObject() as? String {
            if path.hasSuffix(".build") {
                paths?.skipDescendants()
            } else if path.hasSuffix(".swift") || path.hasSuffix(".sql") {
                result.append((folder as NSString).appendingPathComponent(path))
            }
        }
        return result.sorted()
    }

    /// Each string literal in a folder: `Cars.swift:120-141`, in bytes.
    static func literals(in folder: String) throws -> [String] {
        try files(in: folder).filter { $0.hasSuffix(".swift") }.flatMap { path in
            let lexer = Lexer(try read(path).bytes)
            let ranges = lexer.inner + lexer.tokens.filter { $0.kind == .text }.map(\.range)
            return ranges.sorted { $0.lowerBound < $1.lowerBound }.map {
                "\(path):\($0.lowerBound)-\($0.upperBound)"
            }
        }
    }

    private static func read(_ path: String) throws -> SourceFile {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        return SourceFile(path: path, bytes: [UInt8](data))
    }

    /// The files whose names begin with numbers, by folder and in their order.
    private static func migrations(_ paths: [String]) throws -> [String: [MigrationSource]] {
        let numbered = paths.compactMap { path -> (folder: String, number: UInt64, path: String)? in
            let name = (path as NSString).lastPathComponent
            let number = UInt64(name.prefix { $0.isASCII && $0.isNumber })
            return number.map { ((path as NSString).deletingLastPathComponent, $0, path) }
        }
        return try Dictionary(grouping: numbered, by: \.folder).mapValues { files in
            try files.sorted { $0.number < $1.number }.map { file in
                let name = ((file.path as NSString).lastPathComponent as NSString)
                let sql = SQLText(try read(file.path))
                return MigrationSource(
                    name: name.deletingPathExtension,
                    steps: [.script(sql, isCertain: true)]
                )
            }
        }
    }

    /// The schema in a file of SQL or in a database.
    private static func list(fromSchema path: String) throws -> MigrationList {
        let file = try read(path)
        let isDatabase = file.bytes.starts(with: "SQLite format 3".utf8)
        let sql =
            isDatabase
            ? SQLText(SourceFile(path: path, bytes: Array(ScratchDatabase.schema(of: path).utf8)))
            : SQLText(file)
        let migration = MigrationSource(name: path, steps: [.script(sql, isCertain: true)])
        return MigrationList(migrations: [migration])
    }

    private static func looseNames(
        in calls: [Call],
        besides migrations: [ObjectIdentifier: [Int]]
    ) -> Set<String> {
        var result: Set<String> = []
        for call in calls {
            guard let sql = call.sql else { continue }
            let closures = migrations[ObjectIdentifier(call.file)] ?? []
            guard !closures.contains(where: { call.file.isInside(call.token, $0) }) else {
                continue
            }
            for statement in SQLWord.statements(sql.bytes) {
                guard let definition = statement.definition else { continue }
                result.insert(definition.name.text.lowercased())
                // What RENAME TO makes.
                if statement.verb == "alter", let last = statement.last {
                    result.insert(last.text.lowercased())
                }
            }
        }
        return result
    }
}
