/// Finds the lists of migrations in the sources.
final class MigrationFinder {
    private let index: Index
    /// The `.sql` files with numbers of each folder.
    private var folders: [MigrationList]
    var lists: [MigrationList] = []
    /// Where lists begin that are parts of others.
    private var parts: [Cursor?] = []

    /// What a connection does in a migration without a change to a table.
    private static let harmless = """
        tableExists viewExists columns primaryKey indexes foreignKeys
        query forEachRow cursor prepare
        addFunction addScalarFunction addCollation addAggregateFunction addWindowFunction
        createCollation lastInsertRowID changes totalChanges transaction savepoint
        """.words

    init(_ index: Index) {
        self.index = index
        // What undoes a migration never runs.
        let numbered = index.files.filter { file in
            file.path.hasSuffix(".sql")
                && file.path.fileName.utf8.first?.isDigit == true
                && ![".down.sql", ".undo.sql"].contains(where: file.path.lowercased().hasSuffix)
        }
        folders = Dictionary(grouping: numbered, by: \.path.folder)
            .sorted { $0.key < $1.key }
            .map { MigrationList($0.value) }
        for file in index.files where file.imports.contains("SQift") {
            file.cursors.filter { $0.mayBeginList }
                .forEach(addList)
            file.cursors.filter { $0 == "append" && $0[1] == "(" }
                .forEach(addAppended)
        }
        lists += folders
        lists.removeAll { parts.contains($0.start) }
    }

    // MARK: Lists

    /// Adds a list if there is a migration in the expression that begins here.
    private func addList(_ start: Cursor) {
        let sum = index.operands(of: start)
        // More may be added to a variable.
        let before = start.beforeTry
        let variable = before.assigned
        let isOpen =
            before == "+="
            || variable?.isConstant == false
                && variable.map(isOnlyAppendedTo) != true
            || sum.end == "." && mapped(start) == nil
        var list = MigrationList(start: start)
        if isOpen {
            list.doubt = Doubt("migrations that aren't known", "a list", at: start.location)
        }
        for (operand, itsSum) in sum.list {
            parts += [operand, itsSum].filter { $0 != start }
            if let mapped = mapped(operand) {
                list.steps += mapped
            } else if operand == "[" {
                for element in operand.arguments {
                    add(element, to: &list)
                }
            } else if operand.path.names.last == "load" {
                if folders.count != 1 {
                    list.doubt = unknownMigrations(operand)
                }
                list.steps += folders.flatMap(\.steps)
                folders = []
            } else {
                list.doubt = unknownMigrations(operand)
            }
        }
        if !list.steps.isEmpty {
            lists.append(list)
        }
    }

    /// The migrations that `map` makes of a list of scripts, or of names with scripts:
    /// `[("1", "CREATE …")].map { Migration($0, sql: $1) }`. It is nil if that isn't so.
    private func mapped(_ list: Cursor) -> [MigrationStep]? {
        let closure = list.next + 2
        guard list == "[",
            list.next.reads(".", "map", "{"),
            let migration = closure.content.first(where: { $0.reads("Migration", "(") }),
            let argument = migration.callArguments["sql"]
        else { return nil }
        let text = (argument.start..<argument.end).map(\.text).joined()
        let parameters = closure.block.parameters.map(\.name.text)
        let number = parameters.firstIndex(of: text) ?? Int(text.suffix(1))
        let steps = list.arguments.map { element -> MigrationStep? in
            let parts =
                element.start == "(" && element.start.next == element.end
                ? element.start.arguments
                : [element]
            guard let number,
                number < parts.count,
                let sql = index.text(of: parts[number])
            else {
                return nil
            }
            var step = script(sql, at: element.start)
            step?.name = index.constant(parts[0]) ?? "…"
            return step
        }
        let known = steps.compactMap(\.self)
        return known.count == steps.count
            ? known
            : nil
    }

    private func unknownMigrations(_ expression: Cursor) -> Doubt {
        Doubt("migrations that aren't known", expression.text, at: expression.location)
    }

    /// Adds what is appended to a variable to the list that is its first value.
    private func addAppended(_ append: Cursor) {
        guard append.hasDirectReceiver,
            let variable = index.variable(append - 2),
            let value = variable.value?.afterTry,
            let element = append.callArguments.only
        else { return }
        // The list may have a name.
        let start = index.value(of: value.path.names, at: value)?.afterTry ?? value
        guard migration(element.start) != nil || lists.contains(where: { $0.start == start }) else {
            return
        }
        let known = lists.firstIndex { $0.start == start }
        var list = known.map { lists.remove(at: $0) } ?? MigrationList(start: start)
        let isSure =
            isOnlyAppendedTo(variable)
            && append.parent == variable.scope
        if !isSure {
            list.doubt = unknownMigrations(append)
        }
        add(element, to: &list)
        lists.append(list)
    }

    /// Whether all that happens to a variable in its block are appended elements.
    private func isOnlyAppendedTo(_ variable: Variable) -> Bool {
        let changes = ". [ = +=".words
        let uses = variable.scope.content.filter {
            $0 == variable.name.text
                && $0 != variable.name
                && $0[-1] != "."
        }
        return variable.scope.block.kind != .type
            && uses.allSatisfy { !changes.contains($0[1]) || $0.reads($0.text, ".", "append") }
    }

    /// The call of `Migration` that an element is: itself, `.init(…)`, a constant's value, or what
    /// a function returns.
    private func migration(_ element: Cursor) -> Cursor? {
        let start = index.operands(of: element, in: ["Migration"]).list[0].start
        if start.reads("Migration", "(") {
            return start
        }
        if start.reads(".", "init", "(") {
            return start + 1
        }
        let name = start.path.end - 1
        guard name[1] == "(",
            let body = function(name)
        else { return nil }
        let value = body + (body[1] == "return" ? 2 : 1)
        return value.reads("Migration", "(")
            && value.operandEnd == body.partner
            ? value
            : nil
    }

    /// Adds an element: `Migration(…)`, or the name of one.
    private func add(_ element: Argument, to list: inout MigrationList) {
        guard let start = migration(element.start) else {
            list.doubt = unknownMigrations(element.start)
            return
        }
        let arguments = start.callArguments
        let body = start.closure ?? function(arguments["body"].map { $0.end - 1 })
        let sql = arguments["sql"].flatMap(index.text)
        let steps = body.map { self.steps($0) } ?? [script(sql, at: start)]
        for var step in steps.compactMap(\.self) {
            step.name = index.constant(arguments.first) ?? "…"
            list.steps.append(step)
        }
    }

    /// SQL, or nil if it does nothing to the schema. If it has holes, at most the table that it
    /// changes is known.
    private func script(_ sql: SQLText?, at cursor: Cursor) -> MigrationStep? {
        guard let sql,
            !sql.isConstant
        else {
            return MigrationStep(sql: sql, location: cursor.location)
        }
        let words = sql.words
        if SQLWord.dataVerbs.contains(words.verb) {
            return nil
        }
        guard let definition = words.definition else {
            return MigrationStep(location: cursor.location)
        }
        guard let table = definition.table else {
            return MigrationStep(isOfIndexOrTrigger: true, location: cursor.location)
        }
        if table.isComputed,
            words.verb == "create"
        {
            return MigrationStep(makesUnknownTables: true, location: cursor.location)
        }
        return MigrationStep(table: table.isComputed ? nil : table, location: cursor.location)
    }

    // MARK: Closures and functions

    private func function(_ name: Cursor?) -> Cursor? {
        name.flatMap { index.functions[$0.text]?.only }
    }

    /// What a body does with its connection, which is its parameter of this number.
    private func steps(_ body: Cursor, _ number: Int = 0) -> [MigrationStep?] {
        let parameters = body.block.parameters
        let connection =
            parameters.isEmpty
            ? "$0"
            : parameters[number].name.text
        let isNew = !index.migrations.contains(body)
        index.migrations.append(body)
        let uses = body.content.filter {
            $0 == connection
                && $0 != parameters.first?.name
                && $0[-1] != "."
        }
        return uses.flatMap { use in
            if use[1] == "." {
                return [step(use + 2, in: body)]
            }
            // A function that gets the connection goes on.
            let position = use.parent.arguments.firstIndex { $0.start == use }
            guard isNew,
                let position,
                let function = function(use.parent.callee),
                position < function.block.parameters.count
            else { return [MigrationStep(location: use.location)] }
            let isCertain = isCertain(use.parent.callee, in: body)
            return steps(function, position).map { step in
                guard var step else { return nil }
                step.isCertain = step.isCertain && isCertain
                return step
            }
        }
    }

    /// What is done by a method of the connection, or nil if that is nothing.
    private func step(_ method: Cursor, in body: Cursor) -> MigrationStep? {
        if method == "rebuildTable" {
            let table = index.constant(method.callArguments.first)
            let columns = method.callArguments["columns"].flatMap(index.text)
            let sql =
                table != nil
                    && columns?.isConstant == true
                ? columns
                : nil
            return MigrationStep(sql: sql, table: table, location: method.location)
        }
        let sql = method.callArguments.first.flatMap(index.text)
        if let sql,
            CallFinder.names.contains(method.text)
        {
            var step = script(sql, at: method)
            step?.isCall = true
            step?.isCertain = isCertain(method, in: body)
            return step
        }
        return MigrationFinder.harmless.contains(method.text)
            ? nil
            : MigrationStep(location: method.location)
    }

    /// Whether a call always runs, and its errors end the migration.
    private func isCertain(_ call: Cursor, in body: Cursor) -> Bool {
        let around = call.brackets.prefix { $0 != body }
        let isAsked = around.contains { $0.block.kind == .statement }
        // A function or a closure with a name runs when it is called.
        let isLater = around.contains { $0.block.kind == .function || $0[-1] == "=" }
        let isTried =
            index.isTried(call)
            || around.contains { index.isTried($0.callee) || goesOnAfterErrors($0.callee) }
        // After one of these in a block of its own, the rest may not run.
        let mayHaveEnded = body.content.contains {
            $0.index < call.index
                && ($0 == "return" && $0.parent != body || $0 == "#if")
        }
        return !isAsked
            && !isLater
            && !isTried
            && !mayHaveEnded
    }

    /// Whether a function of the sources, which gets a closure, may go on after its errors.
    private func goesOnAfterErrors(_ name: Cursor) -> Bool {
        function(name)?.content.contains {
            $0 == "catch"
                || $0.reads("try", "?")
        } == true
    }
}

extension Cursor {
    private static let signsBeforeLists = "= : return {".words

    /// Whether migrations are written here in brackets, or an expression that may be a sum or a
    /// list of names. Before a `!` any number of others may stand, which aren't gone through for
    /// each of them.
    fileprivate var mayBeginList: Bool {
        self != "!"
            && Cursor.signsBeforeLists.contains(beforeTry.text)
            && (self == "[" || operandEnd == "+")
            || self == "[" && self[1] == "Migration"
    }
}
