/// Finds the calls of SQift's API with SQL, and the names that the sources register.
struct CallFinder {
    private let index: Index
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
        for file in index.files where file.imports.contains("SQift") {
            for (index, token) in file.tokens.enumerated() where token.text == "(" {
                let name = file[index - 1]
                if name.isName, !token.startsLine, name[-1] != "func" {
                    scan(name)
                }
            }
        }
        for call in calls where call.words.verb == "attach" {
            addDatabase(of: call.words)
        }
    }

    private mutating func scan(_ name: Cursor) {
        let function = name.text
        if CallFinder.names.contains(function) {
            addCall(name)
        } else if function.hasPrefix("sqlite3_") {
            let isOpen = function.contains("_create_") || function.contains("extension")
            registered.areOpen = registered.areOpen || isOpen
        } else {
            addRegistration(name)
        }
    }

    // MARK: Calls

    private mutating func addCall(_ name: Cursor) {
        let arguments = (name + 1).arguments
        guard let first = arguments.first, first.label == nil, isOfSQift(name) else { return }
        let sql = index.text(of: first)
        let words = [SQLWord](sql?.bytes ?? [])
        if let sql {
            guard words.looksLikeSQL || words.isEmpty || !sql.isConstant else { return }
        } else if name.text == "run" || name.text == "execute" {
            let type = first.start.isName ? index.writtenType(of: first.start)?.name : nil
            guard type == "SQL" || type == "String" || hasConnection(name) else { return }
        }
        calls.append(
            Call(
                name: name,
                arguments: arguments,
                sql: sql,
                words: words,
                expectsError: index.expectsError(name)
            )
        )
    }

    /// Whether nothing says that another library's function or an own one is called.
    private func isOfSQift(_ name: Cursor) -> Bool {
        guard name[-1] == "." else {
            return !CallFinder.types.isDisjoint(with: name.typeNames)
        }
        if hasConnection(name) {
            return true
        }
        let start = name.chainStart
        if start == name - 2, let type = index.writtenType(of: start)?.name {
            return CallFinder.types.contains(type)
        }
        let own = index.functions[name.text] ?? []
        return own.allSatisfy { CallFinder.types.contains($0.typeNames.first ?? "") }
    }

    /// Whether the receiver is a parameter of a closure, or is called `connection`.
    private func hasConnection(_ name: Cursor) -> Bool {
        let receiver = name - 2
        guard name.chainStart == receiver else { return false }
        return receiver.text == "$0" || receiver.text.lowercased().hasSuffix("connection")
            || index.writtenType(of: receiver) == .named("Connection")
    }

    // MARK: Registrations

    private mutating func addRegistration(_ function: Cursor) {
        switch function.text {
        case "addFunction", "addScalarFunction":
            register(function) { $0.functions[$1] = false }
        case "addAggregateFunction", "addWindowFunction":
            register(function) { $0.functions[$1] = true }
        case "addCollation", "createCollation":
            register(function) { $0.collations.insert($1) }
        case "attachDatabase":
            registered.databases.insert(registeredName(function) ?? "*")
        case "loadExtension", "registerStaticExtension": registered.areOpen = true
        default: break
        }
    }

    private mutating func register(
        _ function: Cursor,
        _ add: (inout RegisteredNames, String) -> Void
    ) {
        if let name = registeredName(function) {
            add(&registered, name)
        } else {
            registered.areOpen = true
        }
    }

    private func registeredName(_ function: Cursor) -> String? {
        let label = (function + 1).arguments.first {
            $0.label == "named" || $0.label == "withName"
        }
        return index.constant(label)?.lowercased()
    }

    /// Takes in the database that SQL attaches.
    private mutating func addDatabase(of words: [SQLWord]) {
        let rest = words.drop { $0.text != "as" }.dropFirst()
        registered.databases.insert(rest.first?.name ?? "*")
    }
}
