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
    private var usedLists: Set<String> = []

    /// Calls of a connection in a migration that change no table.
    private static let harmless: Set<String> = [
        "tableExists", "columns", "primaryKey", "indexes", "foreignKeys", "query", "queryFirst",
        "forEachRow", "cursor", "prepare", "addFunction", "addScalarFunction", "addCollation",
        "lastInsertRowID", "changes", "totalChanges", "integrityCheck", "foreignKeyViolations",
        "addAggregateFunction", "addWindowFunction", "createCollation", "busyTimeout",
    ]
    private static let blocks: Set<String> = ["transaction", "savepoint"]

    init(_ index: Index, _ found: [Call], _ folders: [String: [MigrationSource]]) {
        self.index = index
        self.folders = folders
        evaluator = Evaluator(index: index)
        let byFile = Dictionary(grouping: found) { ObjectIdentifier($0.file) }
        calls = byFile.mapValues { calls in
            Dictionary(calls.map { ($0.token, $0) }, uniquingKeysWith: { first, _ in first })
        }
        for declarations in index.files where declarations.imports.contains("SQift") {
            for token in declarations.file.tokens.indices {
                scan(token, in: declarations)
            }
        }
        let isLoaded = index.files.contains { $0.loadsMigrations }
        if lists.isEmpty || !isLoaded {
            lists += folders.keys.sorted().map { MigrationList(migrations: folders[$0] ?? []) }
        }
        // A list that is a part of another one is no schema by itself.
        lists = lists.filter { list in
            list.location.map { !usedLists.contains(key($0.declarations.file, $0.token)) } ?? true
        }
    }

    private func key(_ file: SourceFile, _ token: Int) -> String {
        "\(file.path):\(token)"
    }

    private mutating func scan(_ token: Int, in declarations: Declarations) {
        let file = declarations.file
        if file.isName(token), file.text(token) == "Migration", file.text(token + 1) == "(" {
            noteClosure(token, in: declarations)
        }
        guard file.text(token) == "[", file.kind(token) == .opening,
            isListOfMigrations(token, in: file)
        else { return }
        var list = MigrationList(location: (declarations, token))
        var start = token
        while file.isSign(start - 1, "+"), start > 1 {
            start = startOfOperand(start - 2, in: file)
        }
        add(sumAt: start, in: declarations, to: &list, depth: 0)
        lists.append(list)
    }

    private mutating func noteClosure(_ token: Int, in declarations: Declarations) {
        let file = declarations.file
        let opening = token + 1
        let closure = file.partners[opening] + 1
        let body = file.arguments(opening).first { $0.label == "body" }?.first
        if let brace = file.text(closure) == "{" ? closure : body, file.text(brace) == "{" {
            closures[ObjectIdentifier(file), default: []].append(brace)
        }
    }

    private func isListOfMigrations(_ token: Int, in file: SourceFile) -> Bool {
        let first = token + 1
        if file.text(first) == "Migration", file.text(first + 1) == "(" {
            return true
        }
        guard file.kind(first) == .name || file.isSign(first, ".") else { return false }
        if file.isSign(token - 1, ":"), file.text(token - 2) == "migrations" {
            return file.kind(token - 3) == .sign || file.kind(token - 3) == .opening
        }
        return file.isSign(token - 1, "=") && file.text(token - 2) == "]"
            && file.text(token - 3) == "Migration" && file.text(token - 4) == "["
    }

    private func startOfOperand(_ end: Int, in file: SourceFile) -> Int {
        let last = file.kind(end) == .closing ? file.partners[end] : end
        let name = file.isName(last - 1) && last != end ? last - 1 : last
        let start = file.isName(name) ? file.chainStart(name) : name
        return file.text(start - 1) == "try" ? start - 1 : start
    }

    // MARK: Lists

    /// Adds the operands of a sum of lists.
    private mutating func add(
        sumAt start: Int,
        in declarations: Declarations,
        to list: inout MigrationList,
        depth: Int
    ) {
        let file = declarations.file
        var index = start
        while true {
            if file.text(index) == "try" {
                index += 1
            }
            if file.text(index) == "[" {
                for element in file.arguments(index) {
                    add(element, in: declarations, to: &list)
                }
                if depth > 0 || index != list.location?.token {
                    usedLists.insert(key(file, index))
                }
                index = file.next(index)
            } else if let (path, end) = evaluator.path(at: index, in: file) {
                add(path, at: index, in: declarations, to: &list, depth: depth)
                index = file.text(end) == "(" ? file.next(end) : end
            } else {
                list.isPartial = true
                return
            }
            guard file.isSign(index, "+") else {
                list.isPartial = list.isPartial || file.isSign(index, ".")
                return
            }
            index += 1
        }
    }

    /// Adds a list by its name, or the files that `Migration.load` reads.
    private mutating func add(
        _ path: [String],
        at token: Int,
        in declarations: Declarations,
        to list: inout MigrationList,
        depth: Int
    ) {
        if path == ["Migration", "load"] || path == ["", "load"] {
            list.isPartial = list.isPartial || folders.count != 1
            list.migrations += folders.first?.value ?? []
        } else if depth < 4,
            let (file, variable) = index.variable(path, in: declarations, at: token),
            let value = variable.value
        {
            add(sumAt: value, in: file, to: &list, depth: depth + 1)
        } else {
            list.isPartial = true
        }
    }

    /// Adds an element: `Migration(…)`, or the name of one.
    private func add(
        _ element: Argument,
        in declarations: Declarations,
        to list: inout MigrationList
    ) {
        var declarations = declarations
        var token = element.first
        if let (path, end) = evaluator.path(at: token, in: declarations.file),
            end == element.range.upperBound,
            let (file, variable) = index.variable(path, in: declarations, at: token),
            let value = variable.value
        {
            declarations = file
            token = value
        }
        let file = declarations.file
        guard file.text(token) == "Migration", file.text(token + 1) == "(" else {
            list.isPartial = true
            return
        }
        let arguments = file.arguments(token + 1)
        let name = arguments.first.flatMap { evaluator.constant($0.range, in: declarations) }
        var migration = MigrationSource(name: name ?? "…", steps: [])
        if let sql = arguments.first(where: { $0.label == "sql" }) {
            let text = evaluator.text(of: sql.range, in: declarations)
            let step = text.map { $0.isConstant ? .script($0, isCertain: true) : unknown($0) }
            migration.steps.append(step ?? .unknown)
        }
        let trailing = file.partners[token + 1] + 1
        let body =
            file.text(trailing) == "{" && !file.startsLine(trailing)
            ? trailing : arguments.first { $0.label == "body" }?.first
        if let body {
            migration.steps += file.text(body) == "{" ? steps(body, in: declarations) : [.unknown]
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

    private func steps(_ body: Int, in declarations: Declarations) -> [MigrationStep] {
        let file = declarations.file
        let parameter = declarations.blocks[body]?.parameters.keys.first ?? "$0"
        var steps: [MigrationStep] = []
        for token in file.content(of: body) where file.text(token) == parameter {
            let isHead = file.text(token + 1) == "in" || file.isSign(token - 1, ".")
            guard file.isName(token), !isHead else { continue }
            steps.append(step(at: token, in: declarations, body))
        }
        return steps
    }

    /// What is done with the connection at this token.
    private func step(at token: Int, in declarations: Declarations, _ body: Int) -> MigrationStep {
        let file = declarations.file
        let name = token + 2
        guard file.isSign(token + 1, "."), file.isName(name) else { return .unknown }
        if MigrationFinder.blocks.contains(file.text(name)) {
            return .changes(table: "")
        }
        if file.text(name) == "rebuildTable" {
            return rebuild(name, in: declarations)
        }
        if let call = calls[ObjectIdentifier(file)]?[name], let sql = call.sql {
            if !sql.isConstant {
                return unknown(sql)
            }
            guard call.isDefinition || call.name == "execute" else { return .call(call) }
            let isCertain = file.braces(around: token).first == body
            return .script(sql, isCertain: isCertain)
        }
        let isHarmless = MigrationFinder.harmless.contains(file.text(name))
        return isHarmless ? .changes(table: "") : .unknown
    }

    private func rebuild(_ token: Int, in declarations: Declarations) -> MigrationStep {
        let arguments = declarations.file.arguments(token + 1)
        guard let first = arguments.first,
            let table = evaluator.constant(first.range, in: declarations)
        else { return .unknown }
        let columns = arguments.first { $0.label == "columns" }
        guard let columns, let text = evaluator.text(of: columns.range, in: declarations),
            text.isConstant
        else { return .changes(table: table.lowercased()) }
        return .rebuild(table: table, columns: text)
    }
}

extension Declarations {
    /// Whether it reads migrations from files.
    var loadsMigrations: Bool {
        file.tokens.indices.contains { token in
            file.text(token) == "load" && file.isSign(token - 1, ".")
                && ["Migration", "="].contains(file.text(token - 2))
        }
    }
}
