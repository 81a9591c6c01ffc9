/// Finds the lists of migrations in the sources.
struct MigrationFinder {
    private let index: Index
    private let evaluator: Evaluator
    /// The calls by file and token.
    private let calls: [ObjectIdentifier: [Int: Call]]
    /// The `.sql` files with numbers, by folder.
    private let folders: [String: [MigrationSource]]
    /// The migrations' closures, whose calls belong to them.
    private(set) var closures: [ObjectIdentifier: [Int]] = [:]
    private(set) var lists: [MigrationList] = []
    private var hasLoaded = false
    /// The lists that are parts of others, as files and tokens.
    private var parts: Set<String> = []

    /// What a connection does in a migration without a change to a table.
    private static let harmless: Set<String> = [
        "tableExists", "columns", "primaryKey", "indexes", "foreignKeys", "query", "queryFirst",
        "forEachRow", "cursor", "prepare", "addFunction", "addScalarFunction", "addCollation",
        "addAggregateFunction", "addWindowFunction", "createCollation", "lastInsertRowID",
        "changes", "totalChanges", "transaction", "savepoint",
    ]

    init(_ index: Index, _ found: [Call], _ folders: [String: [MigrationSource]]) {
        self.index = index
        self.folders = folders
        evaluator = Evaluator(index: index)
        let byFile = Dictionary(grouping: found) { ObjectIdentifier($0.file) }
        calls = byFile.mapValues { calls in
            Dictionary(calls.map { ($0.token, $0) }, uniquingKeysWith: { first, _ in first })
        }
        for source in index.files where source.imports.contains("SQift") {
            for token in source.file.tokens.indices {
                scan(token, in: source)
            }
        }
        if !hasLoaded {
            lists += folders.keys.sorted().map { MigrationList(migrations: folders[$0] ?? []) }
        }
        let parts = parts
        lists = lists.filter { list in
            list.location.map { !parts.contains($0.source.file.key($0.token)) } ?? true
        }
    }

    private mutating func scan(_ token: Int, in source: Declarations) {
        let file = source.file
        if let closure = closure(ofMigration: token, in: file) {
            closures[ObjectIdentifier(file), default: []].append(closure)
        }
        let isMigration = file[token + 1] == "Migration" && file[token + 2] == "("
        if file[token] == "[", isMigration {
            return addList(token, token, in: source)
        }
        // An expression that may be a sum, or a list of names.
        let start = expressionStart(token + 1, in: file)
        let isTyped = ["migrations", "]"].contains(file[token - 1])
        guard ["=", ":", "return", "{"].contains(file[token]),
            let end = operandEnd(start, in: file),
            file[end] == "+" || isTyped && file[start] == "["
        else { return }
        addList(start, token, in: source)
    }

    /// Adds a list if there is a migration in the expression that begins here.
    private mutating func addList(_ start: Int, _ token: Int, in source: Declarations) {
        var list = MigrationList(location: (source, start))
        let isVariable =
            source.file[token] == "+=" || source.file[start - 1] == "+="
            || source.isVariable(before: source.file[token] == "=" ? token : start - 1)
        list.isPartial = isVariable
        add(sumAt: start, in: source, to: &list, depth: 0)
        if !list.migrations.isEmpty {
            lists.append(list)
        }
    }

    /// After `try` and `try!`.
    private func expressionStart(_ index: Int, in file: SourceFile) -> Int {
        guard file[index] == "try" else { return index }
        return index + (file[index + 1] == "!" ? 2 : 1)
    }

    private func operandEnd(_ start: Int, in file: SourceFile) -> Int? {
        if file[start] == "[" {
            return file.next(start)
        }
        return evaluator.path(at: start, in: file).map { _, end in
            file[end] == "(" ? file.next(end) : end
        }
    }

    // MARK: Lists

    /// Adds the operands of a sum of lists.
    private mutating func add(
        sumAt start: Int,
        in source: Declarations,
        to list: inout MigrationList,
        depth: Int
    ) {
        let file = source.file
        var operand = start
        while let end = operandEnd(operand, in: file) {
            if operand != list.location?.token || depth > 0 {
                parts.insert(file.key(operand))
            }
            if file[operand] == "[" {
                for element in file.arguments(operand) {
                    add(element, in: source, to: &list)
                }
            } else {
                add(nameAt: operand, in: source, to: &list, depth: depth)
            }
            operand = expressionStart(end + 1, in: file)
            guard file[end] == "+" else {
                list.isPartial = list.isPartial || file[end] == "."
                return
            }
        }
        list.isPartial = true
    }

    /// Adds a list by its name, or the files that `Migration.load` reads.
    private mutating func add(
        nameAt token: Int,
        in source: Declarations,
        to list: inout MigrationList,
        depth: Int
    ) {
        guard depth < 4, let (path, _) = evaluator.path(at: token, in: source.file) else { return }
        if path.last == "load" {
            hasLoaded = true
            list.isPartial = list.isPartial || folders.count != 1
            list.migrations += folders.first?.value ?? []
        } else if let (other, variable) = index.variable(path, in: source, at: token),
            let value = variable.value
        {
            add(sumAt: value, in: other, to: &list, depth: depth + 1)
        } else {
            list.isPartial = true
        }
    }

    /// Adds an element: `Migration(…)`, or the name of one.
    private func add(_ element: Argument, in source: Declarations, to list: inout MigrationList) {
        var source = source
        var token = element.first
        if let (path, end) = evaluator.path(at: token, in: source.file),
            end == element.range.upperBound,
            let (other, variable) = index.variable(path, in: source, at: token),
            let value = variable.value
        {
            source = other
            token = value
        }
        let file = source.file
        guard file[token] == "Migration", file[token + 1] == "(" else {
            list.isPartial = true
            return
        }
        let arguments = file.arguments(token + 1)
        let name = arguments.first.flatMap { evaluator.constant($0.range, in: source) }
        var migration = MigrationSource(name: name ?? "…", steps: [])
        if let sql = arguments.first(where: { $0.label == "sql" }) {
            let text = evaluator.text(of: sql.range, in: source)
            let step = text.map { $0.isConstant ? .script($0, isCertain: true) : unknown($0) }
            migration.steps.append(step ?? .unknown)
        } else if let closure = closure(ofMigration: token, in: file) {
            migration.steps += steps(closure, in: source)
        } else {
            migration.steps.append(.unknown)
        }
        list.migrations.append(migration)
    }

    /// SQL with holes: at most, the table that it changes is known.
    private func unknown(_ sql: SQLText) -> MigrationStep {
        let words = SQLWord.words(sql.bytes)
        let hole = sql.holes[0].position
        if let definition = words.definition, definition.name.end < hole {
            return .changes(table: definition.name.text.lowercased())
        }
        let isData = ["insert", "update", "delete", "replace", "select"].contains(words.verb)
        return isData && words[0].end < hole ? .changes(table: "") : .unknown
    }

    // MARK: Closures

    /// The brace of the closure of a call `Migration(…)`.
    private func closure(ofMigration token: Int, in file: SourceFile) -> Int? {
        guard file[token] == "Migration", file[token + 1] == "(" else { return nil }
        let trailing = file.next(token + 1)
        if file[trailing] == "{", !file.startsLine(trailing) {
            return trailing
        }
        let body = file.arguments(token + 1).first { $0.label == "body" }?.first
        return body.flatMap { file[$0] == "{" ? $0 : nil }
    }

    private func steps(_ body: Int, in source: Declarations) -> [MigrationStep] {
        let file = source.file
        let connection = source.blocks[body]?.parameters.keys.first ?? "$0"
        return file.content(of: body).compactMap { token in
            let isHead = file[token + 1] == "in" || file[token - 1] == "."
            guard file[token] == connection, !isHead else { return nil }
            return step(token + 2, in: source, body)
        }
    }

    /// What is done by a method of the connection.
    private func step(_ method: Int, in source: Declarations, _ body: Int) -> MigrationStep {
        let file = source.file
        guard file[method - 1] == "." else { return .unknown }
        if file[method] == "rebuildTable" {
            return rebuild(file.arguments(method + 1), in: source)
        }
        if let call = calls[ObjectIdentifier(file)]?[method], let sql = call.sql {
            if !sql.isConstant {
                return unknown(sql)
            }
            guard call.isDefinition || call.name == "execute" else { return .call(call) }
            return .script(sql, isCertain: file.braces(around: method).first == body)
        }
        let isHarmless = MigrationFinder.harmless.contains(file[method])
        return isHarmless ? .changes(table: "") : .unknown
    }

    private func rebuild(_ arguments: [Argument], in source: Declarations) -> MigrationStep {
        let table = arguments.first.flatMap { evaluator.constant($0.range, in: source) }
        let columns = arguments.first { $0.label == "columns" }
        let text = columns.flatMap { evaluator.text(of: $0.range, in: source) }
        guard let table else { return .unknown }
        guard let text, text.isConstant else { return .changes(table: table.lowercased()) }
        return .rebuild(table: table, columns: text)
    }
}
