import Foundation

// What a statement stores and compares against the columns of its table.
extension CallCheck {
    mutating func checkValues() {
        warnOfListsInBrackets()
        let shape = StatementShape(call.words, columns: database.columns)
        guard let table = shape.table,
            schema.allColumnsDoubt(of: call.words) == nil,
            !call.isInMigration,
            database.isTable(table)
        else { return }
        checkMissing(shape, of: table)
        for value in shape.values {
            let column = CompiledStatement.Column(name: "", table: table, origin: value.column)
            guard !schema.isRedefined(column) else { continue }
            if value.isStored {
                checkNull(value, for: column)
            }
            checkStorage(value, for: column)
        }
    }

    // MARK: NOT NULL

    private mutating func checkMissing(_ shape: StatementShape, of table: String) {
        guard let inserted = shape.insertedColumns else { return }
        let names = inserted.compactMap(\.name)
        let needed = database.neededColumns(of: table)
        if !call.words.contains(anyOf: "ignore") {
            for column in needed where !names.contains(column) {
                add("the column \(column) is NOT NULL, and gets no value")
            }
        }
        for (index, name) in names.enumerated() where names[..<index].contains(name) {
            add(
                "the column \(name) is given twice, and the first value counts",
                .warning,
                at: sql.location(of: inserted[index].start)
            )
        }
    }

    private mutating func checkNull(
        _ value: StatementShape.ColumnValue,
        for column: CompiledStatement.Column
    ) {
        guard let expression = value.expression.only,
            expression.text == "null" || argument(for: expression)?.start.text == "nil",
            !call.words.contains(anyOf: "ignore")
        else { return }
        // REPLACE stores the default.
        let refuses =
            call.words.contains(anyOf: "replace")
            ? database.neededColumns(of: column.table)
            : database.notNullColumns(of: column.table)
        guard refuses.contains(column.origin) else { return }
        let location = sql.location(of: expression.start)
        add("the column \(column.origin) is NOT NULL, and gets NULL", at: location)
    }

    // MARK: Types

    private mutating func checkStorage(
        _ value: StatementShape.ColumnValue,
        for column: CompiledStatement.Column
    ) {
        guard let expression = value.expression.only,
            let storage = database.storage(of: column),
            let conflict = conflict(of: expression, with: storage)
        else { return }
        let severity: Message.Severity =
            storage.isStrict && value.isStored
            ? .error
            : .warning
        let text = "\(column.origin) is \(storage.type), and \(conflict)"
        add(text, severity, at: sql.location(of: expression.start))
    }

    /// Why a column can't hold what a value is stored as, or nil if it can.
    private func conflict(of expression: SQLWord, with storage: ColumnStorage) -> String? {
        if let string = string(expression) {
            // SQLite makes numbers of text that is one.
            let isConverted =
                storage.classes != [.blob]
                && Double(string.trimmingCharacters(in: .whitespaces)) != nil
            return storage.refuses(.text) && !isConverted
                ? "'\(string)' is text"
                : nil
        }
        guard let type = typeName(for: expression),
            let stored = StorageClass.stored[type],
            storage.refuses(stored),
            !index.declaresType(type),
            // The text of a date may be a number, if the app says so.
            type != "Date" || !index.names.contains("bindingDateFormatter")
        else { return nil }
        let advice =
            type == "Date"
            ? ": use UnixDate"
            : ""
        return "a \(type) is stored as \(stored)\(advice)"
    }

    /// The string that a value is, in the SQL or as a constant.
    private func string(_ expression: SQLWord) -> String? {
        expression.isText
            ? expression.name
            : argument(for: expression).flatMap(index.constant)
    }

    /// Warns of `IN (?)` with a list in one value, which is compared as one.
    private mutating func warnOfListsInBrackets() {
        let words = call.words
        for index in words.indices.dropFirst(2).dropLast() where words[index].isParameter {
            let isAlone =
                words[index - 2].text == "in"
                && words[index - 1].text == "("
                && words[index + 1].text == ")"
            let type = isAlone ? typeName(for: words[index]) : nil
            if ["ArrayBinding", "SetBinding"].contains(type) {
                add(
                    "IN (?) compares with one value; write IN (SELECT value FROM json_each(?))",
                    .warning,
                    at: sql.location(of: words[index].start)
                )
            }
        }
    }

    // MARK: Arguments

    /// The name of the type of a parameter's value, if it is written.
    private func typeName(for parameter: SQLWord) -> String? {
        if let argument = argument(for: parameter) {
            return index.typeName(of: argument.start, to: argument.end)
        }
        guard let encoded = call.arguments["encoding"],
            let name = index.typeName(of: encoded.start, to: encoded.end),
            let type = index.type(named: name),
            !type.codesItself
        else { return nil }
        let property = type.properties.first { type.key(of: $0) == parameter.nameOfParameter }
        return property.flatMap(index.typeName)
    }

    /// The value of a parameter, if the call lists its values.
    private func argument(for parameter: SQLWord) -> Argument? {
        let list = call.values.only.flatMap(index.list)?.arguments ?? call.values
        let all = call.words.filter(\.isParameter)
        guard parameter.text != "?" else {
            let number = all.firstIndex { $0.start == parameter.start }
            let isPlain =
                all.allSatisfy { $0.text == "?" }
                && list.count == all.count
            return isPlain
                ? number.map { list[$0] }
                : nil
        }
        return list.lazy.compactMap { entry -> Argument? in
            let colon = entry.start.first(":")
            let key = index.constant(Argument(entry.start, colon))
            let isOwn = key?.drop { ":@$".contains($0) } == parameter.nameOfParameter[...]
            return colon == ":" && isOwn
                ? Argument(colon + 1, entry.end)
                : nil
        }.first
    }
}
