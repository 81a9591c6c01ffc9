/// Finds the calls of SQift's API with SQL, and the names that the sources register.
struct CallFinder {
    private let index: Index
    private let evaluator: Evaluator
    private(set) var calls: [Call] = []
    private(set) var registered = RegisteredNames()

    private static let names: Set<String> = [
        "query", "queryFirst", "run", "execute", "prepare", "forEachRow", "cursor",
    ]
    private static let types: Set<String> = [
        "Connection", "Statement", "Database", "ConnectionQueue", "ConnectionPool",
        "DatabaseSnapshot",
    ]

    init(_ index: Index) {
        self.index = index
        evaluator = Evaluator(index: index)
        for declarations in index.files where declarations.imports.contains("SQift") {
            let file = declarations.file
            for token in file.tokens.indices where file.isName(token) {
                let isCall = file[token + 1] == "(" && !file.startsLine(token + 1)
                if isCall, file[token - 1] != "func" {
                    scan(token, in: declarations)
                }
            }
        }
    }

    private mutating func scan(_ token: Int, in declarations: Declarations) {
        let name = declarations.file[token]
        if CallFinder.names.contains(name) {
            addCall(token, in: declarations)
        } else if name.hasPrefix("sqlite3_") {
            registered.areOpen =
                registered.areOpen || name.contains("_create_")
                || name.contains("extension")
        } else {
            addRegistration(token, in: declarations)
        }
    }

    // MARK: Calls

    private mutating func addCall(_ token: Int, in declarations: Declarations) {
        let file = declarations.file
        let arguments = file.arguments(token + 1)
        guard let first = arguments.first, first.label == nil,
            isOfSQift(token, in: declarations)
        else { return }

        let sql = evaluator.text(of: first.range, in: declarations)
        if let sql {
            let words = SQLWord.words(sql.bytes, upTo: min(sql.bytes.count, 400))
            let isBlank = words.isEmpty && sql.holes.isEmpty
            guard words.looksLikeSQL || isBlank || !sql.holes.isEmpty else { return }
        } else if file[token] == "run" || file[token] == "execute" {
            let type =
                file.isName(first.first)
                ? index.writtenType(of: file[first.first], in: declarations, at: token) : nil
            guard
                type == .named("SQL") || type == .named("String")
                    || hasConnection(token, in: declarations)
            else { return }
        }
        calls.append(
            Call(
                declarations: declarations,
                token: token,
                arguments: arguments,
                sql: sql,
                expectsError: Expectation(declarations, index).isAround(token)
            )
        )
    }

    /// Whether nothing says that another library's function or an own one is called.
    private func isOfSQift(_ token: Int, in declarations: Declarations) -> Bool {
        let file = declarations.file
        guard file[token - 1] == "." else {
            return declarations.typeNames(around: token).contains { CallFinder.types.contains($0) }
        }
        if hasConnection(token, in: declarations) {
            return true
        }
        let start = file.chainStart(token)
        let isDirect = start == token - 2
        let type = index.writtenType(of: file[start], in: declarations, at: start)
        if isDirect, let name = type?.name {
            return CallFinder.types.contains(name)
        }
        let own = index.functions[file[token]] ?? []
        return own.allSatisfy { function in
            let other = index.files.first { $0.file === function.file }
            let owner = other?.typeNames(around: function.body).first ?? ""
            return CallFinder.types.contains(owner)
        }
    }

    /// Whether the receiver is a parameter of a closure, or is called `connection`.
    private func hasConnection(_ token: Int, in declarations: Declarations) -> Bool {
        let file = declarations.file
        guard file.chainStart(token) == token - 2 else { return false }
        let name = file[token - 2]
        if name == "$0" || name.lowercased().hasSuffix("connection") {
            return true
        }
        return index.writtenType(of: name, in: declarations, at: token) == .named("Connection")
    }

    // MARK: Registrations

    private mutating func addRegistration(_ token: Int, in declarations: Declarations) {
        let file = declarations.file
        let function = file[token]
        switch function {
        case "addFunction", "addScalarFunction", "addAggregateFunction", "addWindowFunction",
            "addCollation", "createCollation", "attachDatabase":
            let arguments = file.arguments(token + 1)
            let label = arguments.first { ["named", "withName"].contains($0.label ?? "") }
            let name = label.flatMap { evaluator.constant($0.range, in: declarations) }
            register(name?.lowercased(), by: function)
        case "loadExtension", "registerStaticExtension": registered.areOpen = true
        default: break
        }
    }

    private mutating func register(_ name: String?, by function: String) {
        if function == "attachDatabase" {
            registered.databases.insert(name ?? "*")
        } else if let name, function.hasSuffix("Collation") {
            registered.collations.insert(name)
        } else if let name {
            let isScalar = ["addFunction", "addScalarFunction"].contains(function)
            registered.functions[name] = !isScalar
        } else {
            registered.areOpen = true
        }
    }

    /// Takes in the databases that SQL attaches.
    mutating func addAttachedDatabases() {
        for call in calls where call.verb == "attach" {
            guard let sql = call.sql else { continue }
            let words = SQLWord.words(sql.bytes)
            let name = words.lastIndex { $0.text == "as" }.map { $0 + 1 }
            let isKnown = name.map { words.indices.contains($0) && words[$0].isName } ?? false
            registered.databases.insert(
                isKnown ? words[name ?? 0].text.lowercased() : "*"
            )
        }
    }
}
