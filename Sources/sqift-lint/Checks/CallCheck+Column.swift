// Whether columns can be read as Swift's types.
extension CallCheck {
    /// Checks whether a column can be read as the type that begins at a token.
    mutating func checkColumn(
        _ number: Int,
        _ type: Cursor?,
        _ reader: String,
        _ warnsOfNull: Bool = true,
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
        guard let readable = StorageClass.readable[storedType(of: name)] else { return }
        let written = type.typeTokens.map(\.text).joined()
        if let storage = storage(number),
            storage.classes.isDisjoint(with: readable)
        {
            let severity: Message.Severity =
                storage.isCertain
                ? .error
                : .warning
            let fact = "column \(columnName(number)) is \(storage.type)"
            add("\(reader): \(fact), which can't be read as \(written)", severity, at: location)
        } else if warnsOfNull,
            !type.isOptional,
            let reason = reasonForNull(number)
        {
            add("\(reader): \(reason), but \(written) isn't optional", .warning, at: location)
        }
    }

    /// The name of a column of the result, as its table calls it.
    private func columnName(_ number: Int) -> String {
        let column = statement.columns[number]
        return column.origin.isEmpty
            ? column.name
            : column.origin
    }

    // MARK: Types

    /// The name of the type as which a value of a type is stored. It is that of an enumeration's
    /// raw values, which is written first; no other type of the sources is stored as its first
    /// protocol is called.
    func storedType(of name: Cursor) -> String {
        guard let own = index.type(name) else {
            return index.declaresType(name.text)
                ? ""
                : name.text
        }
        return own.codesItself
            ? ""
            : own.conformances.first?.text ?? ""
    }

    /// How a column of the result is stored, or what a function returns.
    private func storage(_ number: Int) -> ColumnStorage? {
        if let storage = database.storage(of: statement.columns[number]) {
            return storage
        }
        let expression = resultExpression(number)
        let isNumber =
            expression?.dropFirst().first?.text == "("
            && expression?.contains(anyOf: "|", "-") == false
            && StorageClass.functionsOfIntegers.contains(expression?.verb ?? "")
        return isNumber
            ? ColumnStorage(strict: "INTEGER")
            : nil
    }

    /// What a SELECT returns as a column, if its list has no `*`.
    func resultExpression(_ number: Int) -> [SQLWord]? {
        let items = call.words.selectedItems
        return items.count == names.count
            ? items[number]
            : nil
    }

    // MARK: NULL

    /// Why a column of the result may be NULL, or nil if nothing is known to make it so.
    private func reasonForNull(_ number: Int) -> String? {
        guard options.warnsOfNull else { return nil }
        if let aggregate = emptyAggregate(number) {
            return "\(aggregate)() is NULL without rows"
        }
        let column = statement.columns[number]
        if isOfLeftJoin(column) {
            return "column \(column.origin) is NULL where the LEFT JOIN finds nothing"
        }
        return isNullable(column)
            ? "column \(column.origin) may be NULL"
            : nil
    }

    /// The aggregate function that a column of the result is, and that is NULL if a table has no
    /// rows.
    private func emptyAggregate(_ number: Int) -> String? {
        guard let expression = resultExpression(number),
            expression.dropFirst().first?.text == "(",
            ["max", "min", "sum", "avg"].contains(expression.verb),
            // With several arguments it compares them.
            !expression.contains(anyOf: ",", "select"),
            !call.words.contains(anyOf: "group", "having", "over", "values"),
            let from = call.words.first(after: "from")?.name,
            database.isTable(from)
        else { return nil }
        let afterCall = expression.drop { $0.text != ")" }.dropFirst()
        return afterCall.isEmpty || afterCall.first?.text == "as"
            ? expression.verb
            : nil
    }

    /// Whether a column's table stands only on the right of a LEFT JOIN, nothing later says more of
    /// the table, and no reference makes sure that there is a row.
    private func isOfLeftJoin(_ column: CompiledStatement.Column) -> Bool {
        let words = call.words
        let table = column.table.lowercased()
        let positions = words.indices.filter { index in
            words[index].name == table
                && words.dropFirst(index + 1).first?.text != "."
        }
        guard let position = positions.only,
            words[..<position].suffix(3).map(\.text).contains("left"),
            words[position - 1].text == "join",
            words.count(where: { $0.text == "select" }) == 1
        else { return false }
        let after = words[(position + 1)...]
        let alias = after.drop { $0.text == "as" }.first?.name ?? ""
        let condition = after.prefix { !["join", "where", "having"].contains($0.text) }
        // `artists.id` is another table's column.
        let later = words.indices.dropFirst(condition.endIndex).compactMap { index in
            let owner = words[index - 1].text == "." ? words[index - 2].name : nil
            return owner == nil || [table, alias].contains(owner) ? words[index].name : nil
        }
        let own = Set(database.columns(of: table) + [table, alias, column.name.lowercased()])
        let references = database.references(to: table)
        let namesLater = words[condition.endIndex...].compactMap(\.name)
        let isReferred = condition.compactMap(\.name).contains { name in
            references.contains {
                $0.column == name
                    && ($0.isNeeded || namesLater.contains(name))
            }
        }
        return own.isDisjoint(with: later) && !isReferred
    }

    /// Whether nothing keeps NULL out of the column, as far as one sees.
    private func isNullable(_ column: CompiledStatement.Column) -> Bool {
        let conditions = call.words.drop {
            !["where", "having", "on", "using", "json_each", "json_tree"].contains($0.text)
        }
        let isMentioned = conditions.contains {
            [column.origin.lowercased(), column.name.lowercased()].contains($0.name)
        }
        return !isMentioned
            && !call.words.contains(anyOf: "right", "full", "natural")
            && statement.isReadOnly
            && database.mayBeNull(column)
    }
}
