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
        } else if !type.isOptional, readable != nil, let aggregate = emptyAggregate(number) {
            let text = "\(aggregate)() is NULL without rows, but \(text) isn't optional"
            add("\(reader): \(text)", .warning, at: location)
        } else if !type.isOptional, readable != nil, isOfLeftJoin(column) {
            let text =
                "\(subject) is NULL where the LEFT JOIN finds nothing, but \(text) isn't optional"
            add(text, .warning, at: location)
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

    /// The aggregate function that a column of the result is, and that is NULL if there are no rows.
    private func emptyAggregate(_ number: Int) -> String? {
        let items = StatementShape(call.words, columns: { _ in [] }).results
        guard options.warnsOfNull,
            items.count == names.count,
            !call.words.contains(anyOf: "group", "having", "over", "values")
        else { return nil }
        let item = items[number]
        let end = item.firstIndex { $0.text == ")" } ?? 0
        let isWhole = end + 1 == item.count || item[(end + 1)...].first?.text == "as"
        let isAggregate =
            ["max", "min", "sum", "avg"].contains(item.verb)
            && item.dropFirst().first?.text == "("
            // With several arguments it compares them.
            && !item.contains(anyOf: ",", "select")
        return isWhole && isAggregate ? item.verb : nil
    }

    /// Whether a column's table stands only on the right of a LEFT JOIN, and the WHERE says nothing
    /// of the table.
    private func isOfLeftJoin(_ column: CompiledStatement.Column) -> Bool {
        let words = call.words
        let table = column.table.lowercased()
        let positions = words.indices.filter { index in
            words[index].name == table
                && words.dropFirst(index + 1).first?.text != "."
        }
        guard options.warnsOfNull,
            let position = positions.only,
            words[..<position].suffix(3).map(\.text).contains("left"),
            words[position - 1].text == "join"
        else { return false }
        let next = words[(position + 1)...].drop { $0.text == "as" }.first?.name ?? ""
        let conditions = words.drop { !["where", "having"].contains($0.text) }.compactMap(\.name)
        let own = Set(database.columns(of: table) + [table, next])
        return own.isDisjoint(with: conditions)
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
