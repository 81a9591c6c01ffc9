// Whether columns can be read as Swift's types.
extension CallCheck {
    /// Checks whether a column can be read as the type that begins at a token.
    mutating func checkColumn(
        _ number: Int,
        _ type: Cursor?,
        _ reader: String,
        at location: Location? = nil
    ) {
        guard let type, let name = type.typeName,
            !isOpen,
            !schema.isRedefined(statement.columns[number]),
            // In these the column may be that of several tables.
            !call.words.contains(anyOf: "union", "except", "intersect"),
            // A view may have a condition, or be one of these.
            schema.views.isDisjoint(with: call.words.compactMap(\.name))
        else { return }
        let column = statement.columns[number]
        let subject = "\(reader): column \(column.origin)"
        let text = type.typeTokens.map(\.text).joined()
        // An array is stored as JSON.
        let stored = storedType(of: name)
        let readable = StorageClass.readable[stored]
        if let readable,
            let storage = database.storage(of: column),
            storage.classes.isDisjoint(with: readable)
        {
            let severity: Message.Severity =
                storage.isCertain
                ? .error
                : .warning
            let text = "\(subject) is \(storage.type), which can't be read as \(text)"
            add(text, severity, at: location)
        } else if !type.isOptional, readable != nil, isNullable(column) {
            add("\(subject) may be NULL, but \(text) isn't optional", .warning, at: location)
        }
    }

    /// The name of the type as which a value of a type is stored. It is that of an enumeration's
    /// raw values, which is written first; no other type of the sources is stored as its first
    /// protocol is called.
    private func storedType(of name: Cursor) -> String {
        guard let own = index.type(name) else { return name.text }
        return own.codesItself
            ? ""
            : own.conformances.first?.text ?? ""
    }

    /// Whether nothing keeps NULL out of the column, as far as one sees.
    private func isNullable(_ column: CompiledStatement.Column) -> Bool {
        let conditions = call.words.drop {
            !["where", "having", "on", "using", "json_each", "json_tree"].contains($0.text)
        }
        let isMentioned = conditions.contains {
            [column.origin.lowercased(), column.name.lowercased()].contains($0.name)
        }
        return options.warnsOfNull
            && !isMentioned
            && !call.words.contains(anyOf: "right", "full", "natural")
            && statement.isReadOnly
            && database.mayBeNull(column)
    }
}
