/// Finds the calls of SQift's API with SQL, and the names that the sources register.
final class CallFinder {
    private let index: Index
    var calls: [Call] = []
    var registered = RegisteredNames()

    static let names = "query run execute prepare forEachRow cursor bind dump".words

    init(_ index: Index) {
        self.index = index
        for cursor in index.files.flatMap(\.cursors) {
            if cursor.kind == .text {
                scan(literal: cursor)
            } else if cursor == "(", cursor[-2] != "func" {
                scan(call: cursor - 1)
            }
        }
    }

    /// Looks at what a literal makes and changes, wherever it is run.
    private func scan(literal: Cursor) {
        guard let sql = index.text(of: [literal]) else { return }
        let statements = sql.words.statements
        registered.tables.formUnion(sql.words.madeNames + sql.words.renamedNames)
        if let attach = statements.first(where: { $0.verb == "attach" && $0.count > 2 }) {
            let location = sql.location(of: attach[0].start)
            registered.attachedDatabase = Doubt("an attached database", "ATTACH", at: location)
        }
        // A constant may be a migration's.
        if literal.parent.kind == .opening,
            !index.isInMigration(literal)
        {
            // A call tells what a whole one does.
            addChanges(of: sql) { literal.parent != "{" || $0.table.isComputed || $0.isUnknown }
        }
    }

    private func addChanges(of sql: SQLText, where isMeant: (SchemaChange) -> Bool) {
        let statements = sql.words.statements
        if let other = statements.first(where: \.definesIndexOrTrigger) {
            let cause = other.prefix(2).map { $0.text.uppercased() }
                .joined(separator: " ")
            let doubt = Doubt(
                "other indexes or triggers",
                cause,
                at: sql.location(of: other[0].start)
            )
            registered.otherDefinitions = registered.otherDefinitions ?? doubt
        }
        let changes = statements.compactMap { SchemaChange($0, of: sql) }
        registered.changes += changes.filter(isMeant)
    }

    private func scan(call function: Cursor) {
        let text = function.text
        switch text {
        case _ where CallFinder.names.contains(text): addCall(function)
        case _ where !function.file.imports.contains("SQift"): break
        case "addFunction", "addScalarFunction": addFunction(function, isAggregate: false)
        case "addAggregateFunction", "addWindowFunction": addFunction(function, isAggregate: true)
        case "addCollation", "createCollation":
            if let name = registeredName(function) {
                registered.collations.insert(name)
            }
        case "Migrator":
            if let list = function.callArguments["migrations"],
                isForeign(list.start)
            {
                registered.foreignMigrations = Doubt(
                    "migrations that aren't known",
                    list.start.text,
                    at: list.start.location
                )
            }
        case "attachDatabase":
            registered.attachedDatabase = Doubt("an attached database", text, at: function.location)
        case "rebuildTable" where !index.isInMigration(function): addRebuild(function)
        case "loadExtension", "registerStaticExtension":
            allowUnknownFunctions(function)
        case _ where text.hasPrefix("sqlite3_create_") || text.hasSuffix("_extension"):
            allowUnknownFunctions(function)
        default: break
        }
    }

    /// Whether a path begins with a type that the sources don't declare.
    private func isForeign(_ start: Cursor) -> Bool {
        let isOfType =
            start.text.first?.isUppercase == true
            && start[1] == "."
        return isOfType
            && !index.declaresType(start.text)
            && index.variable(start.path.names, at: start) == nil
    }

    // MARK: Registered names

    private func addFunction(_ function: Cursor, isAggregate: Bool) {
        if let name = registeredName(function) {
            registered.functions[name] = isAggregate
        }
    }

    /// The name that a call registers. If it isn't known, any name may be.
    private func registeredName(_ function: Cursor) -> String? {
        let name = index.constant(function.callArguments["named"])?.lowercased()
        if name == nil {
            allowUnknownFunctions(function)
        }
        return name
    }

    private func allowUnknownFunctions(_ function: Cursor) {
        let reason = "functions that aren't known"
        registered.unknownFunctions = Doubt(reason, function.text, at: function.location)
    }

    private func addRebuild(_ function: Cursor) {
        let table = index.constant(function.callArguments.first)?.lowercased()
        let columns = index.constant(function.callArguments["columns"])
        var effect = SchemaChange.Effect.unknown
        if let table, let columns {
            effect = .definesTable("CREATE TABLE \(table.quoted)(\(columns)\n)")
        }
        registered.changes.append(
            SchemaChange(
                table ?? "\u{FFFD}",
                effect,
                by: function.text,
                at: function.location
            )
        )
    }

    // MARK: Calls

    /// Adds a call with SQL, once for each SQL that it may have.
    private func addCall(_ name: Cursor) {
        guard
            let function = name == "bind"
                ? prepare(of: name)
                : name,
            let first = function.callArguments.first,
            first.label == nil
        else { return }
        let alternatives = index.alternatives(of: first)
        for sql in alternatives.map(index.text) {
            let call = Call(
                name: name,
                method: function.text,
                arguments: name.callArguments.filter { $0.start != first.start },
                sql: sql,
                words: sql?.words ?? [],
                isInMigration: index.isInMigration(name),
                isAlternative: alternatives.count > 1
            )
            add(call, of: index.receiver(of: function))
        }
    }

    /// Adds a call, unless it is a method of another type. If the type isn't known, it is only
    /// counted.
    private func add(_ call: Call, of receiver: Receiver) {
        var call = call
        switch receiver {
        case .type(let type):
            guard index.isOfSQift(type, at: call.name),
                type == "Connection" || call.words.looksLikeSQL
            else { return }
        case .none: return
        case .unknown:
            let isPossible =
                call.name.file.imports.contains("SQift")
                && call.isPlain
            guard isPossible,
                call.words.looksLikeSQL
            else { return }
            call.isOfUnknownType = true
        }
        // Another library's method may have the same name.
        if call.isPlain || index.functions[call.method] != nil {
            calls.append(call)
            if !call.isInMigration,
                let sql = call.sql
            {
                addChanges(of: sql) { _ in true }
            }
        }
    }

    /// The `prepare` without values that makes a method's statement: before it, or in a constant.
    private func prepare(of method: Cursor) -> Cursor? {
        let receiver = method - 2
        let value = index.value(of: [receiver.text], at: receiver)
        guard
            let opening = method.hasDirectReceiver
                ? value?.afterTry.path.end
                : receiver.partner,
            opening[-1] == "prepare",
            opening.arguments.count == 1
        else { return nil }
        return opening - 1
    }
}
