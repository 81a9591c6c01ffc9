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
                // The tables that a literal makes, wherever it is run. Outside of migrations it may
                // be run at any time, and what it changes isn't known whole. A constant may be a
                // migration's.
                let words = index.text(of: [cursor])?.words ?? []
                registered.tables.formUnion(words.madeNames)
                if cursor.parent.kind == .opening,
                    !index.isInMigration(cursor)
                {
                    registered.openTables.formUnion(
                        words.definedNames.filter { cursor.parent != "{" || $0 == "\u{FFFD}" }
                    )
                }
                if words.statements.contains(where: { $0.verb == "attach" && $0.count > 2 }) {
                    registered.attaches = true
                }
            } else if cursor == "(",
                cursor.file.imports.contains("SQift"),
                cursor[-2] != "func"
            {
                scan(cursor - 1)
            }
        }
    }

    private func scan(_ function: Cursor) {
        let text = function.text
        lazy var name = index.constant(function.callArguments["named"])?.lowercased() ?? ""
        switch text {
        case _ where CallFinder.names.contains(text): addCall(function)
        case "addFunction", "addScalarFunction": registered.functions[name] = false
        case "addAggregateFunction", "addWindowFunction": registered.functions[name] = true
        case "addCollation", "createCollation": registered.collations.insert(name)
        case "attachDatabase": registered.attaches = true
        case "rebuildTable" where !index.isInMigration(function):
            let table = index.constant(function.callArguments.first)?.lowercased()
            registered.openTables.insert(table ?? "\u{FFFD}")
        case "loadExtension", "registerStaticExtension",
            _ where text.hasPrefix("sqlite3_create_") || text.hasSuffix("_extension"):
            registered.functions[""] = true
        default: break
        }
    }

    // MARK: Calls

    /// Adds a call with SQL, unless something says that it is one of another library or an own one.
    private func addCall(_ name: Cursor) {
        guard let function = name == "bind" ? prepare(of: name) : name,
            let first = function.callArguments.first,
            first.label == nil
        else { return }
        let type = receiverType(function)
        let isOfSQift =
            type.map { Index.types.contains($0) && index.types[$0] == nil }
            ?? (function[-2].lowercased().hasSuffix("connection")
                || !index.isForeign(function.text))
        let sql = index.text(of: first)
        let words = sql?.words ?? []
        guard isOfSQift, type == "Connection" || words.looksLikeSQL else { return }
        let call = Call(
            name: name,
            method: function.text,
            arguments: name.callArguments.filter { $0.start != first.start },
            sql: sql,
            words: words,
            isInMigration: index.isInMigration(name)
        )
        // Another library's method may have the same name.
        if call.isPlain || index.functions[function.text] != nil {
            calls.append(call)
            if !call.isInMigration {
                registered.openTables.formUnion(words.definedNames)
            }
        }
    }

    /// The `prepare` without values that makes a method's statement: before it, or in a constant.
    private func prepare(of method: Cursor) -> Cursor? {
        let receiver = method - 2
        let value = index.value(of: [receiver.text], at: receiver)
        guard let opening = method.hasDirectReceiver ? value?.afterTry.path.end : receiver.partner,
            opening[-1] == "prepare",
            opening.arguments.count == 1
        else { return nil }
        return opening - 1
    }

    /// The type whose method is called, or nil if the receiver isn't only a name. If none is
    /// written for it, it is a connection if its closure gets one.
    private func receiverType(_ name: Cursor) -> String? {
        guard name[-1] == "." else {
            return name.typeNames.first(where: Index.types.contains) ?? ""
        }
        guard name.hasDirectReceiver else { return nil }
        let receiver = name - 2
        // An enumeration's case, or a function of a type.
        guard receiver.isName,
            receiver.text.first?.isUppercase == false
        else { return "" }
        if let type = index.writtenType(of: receiver) {
            return (index.writtenType(of: type) ?? type).text
        }
        let isConnection = index.block(ofParameter: receiver).map {
            $0.callee.isAccess || $0.callee == "Migration"
        }
        return isConnection == true ? "Connection" : nil
    }
}
