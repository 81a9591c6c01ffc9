// The columns of a statement against what the code reads.
extension CallCheck {
    mutating func checkResult() {
        if names.isEmpty {
            add("the statement returns no columns; use run", .warning)
        } else if let doubt = schema.allColumnsDoubt(of: call.words),
            call.words.contains(anyOf: "*")
        {
            report.extent = .part(doubt)
        } else if let closure = call.name.closure {
            check(accesses(in: closure), in: closure)
        } else if let tuple = call.arguments["as"] {
            checkTuple(tuple.start)
        } else if call.arguments["body"] == nil {
            check(index.resultType(of: call.name.chainStart, to: call.end))
            for row in index.rows(of: call) {
                check(index.accesses(of: row), in: row.scope)
            }
        }
    }

    // MARK: Shapes

    private mutating func check(_ type: Cursor?) {
        guard let type else { return }
        let element =
            type == "["
            ? type + 1
            : type
        if element != type,
            element.typeEnd == ":"
        {
            guard names.count > 1 else {
                return add("a dictionary is made of two columns, but the result has 1")
            }
            checkColumn(0, element, "the key")
            checkColumn(1, element.typeEnd + 1, "the value")
        } else if let row = index.type(element.typeName),
            row.isA("ExpressibleByRow")
        {
            checkRow(row)
        } else {
            // For `T?` and NULL the result is nil, whichever of the two `T` is.
            checkColumn(0, element, "the result")
            if let name = element.typeName,
                StorageClass.readable[storedType(of: name)] != nil
            {
                warnOfUnread(1)
            }
        }
    }

    private mutating func checkTuple(_ start: Cursor) {
        guard start.typeEnd.reads(".", "self"),
            !start.content.contains(where: { $0 == "<" })
        else { return }
        location = start.location
        let types =
            start == "("
            ? start.arguments.map(\.start)
            : [start]
        guard types.count <= names.count else {
            let columns = names.count.counted("column")
            return add("the result has \(columns), but the tuple has \(types.count)")
        }
        for (index, type) in types.enumerated() {
            checkColumn(index, type, "column \(index)")
        }
        warnOfUnread(types.count)
    }

    /// Warns of columns that nothing reads.
    private mutating func warnOfUnread(_ count: Int) {
        guard names.count > count,
            !call.words.contains(anyOf: "distinct", "union", "returning"),
            resultExpression(0) != nil,
            !names.indices.dropFirst(count).contains(where: isNeeded)
        else { return }
        let verb =
            count == 1
            ? "is"
            : "are"
        add("the result has \(names.count) columns, of which \(count) \(verb) read", .warning)
    }

    /// Whether a column that nothing reads decides which rows there are: the rest of the statement
    /// uses its name, or the other columns are those of its greatest or its least value.
    private func isNeeded(_ column: Int) -> Bool {
        let name = names[column]
        let isUsed =
            statement.columns[column].origin.isEmpty
            && call.words.count { $0.name == name } > 1
        return isUsed || ["max", "min"].contains(resultExpression(column)?.verb)
    }

    // MARK: Types

    private mutating func checkRow(_ type: TypeDeclaration) {
        if let body = type.rowInitializer {
            return checkInitializer(body, of: type)
        }
        // An extension of the container may decode in a way of its own.
        let decoders = index.functions["decode"]?.flatMap(\.typeNames) ?? []
        guard type.block.keyword == "struct",
            !type.codesItself,
            !decoders.contains("KeyedDecodingContainer"),
            type.isA("Decodable", "Codable")
        else { return }
        let isSnakeCase = type.declares("columnNamesAreSnakeCase")
        let normal = { (name: String) in
            isSnakeCase
                ? name.filter { $0 != "_" }
                : name
        }
        let keys = type.properties.compactMap { type.key(of: $0)?.lowercased() }.map(normal)
        let read = names.filter { keys.contains(normal($0)) }
        for property in type.properties where property.value == nil || !property.isConstant {
            guard let key = type.key(of: property)?.lowercased(),
                let stored = property.type
            else { continue }
            let what = "\(type.block.name).\(property.name.text)"
            let columns = names.indices.filter {
                normal(names[$0]) == normal(key)
            }
            if let column = columns.only {
                checkColumn(column, stored, what)
            } else if columns.isEmpty,
                let name = stored.typeName,
                !stored.isOptional,
                index.variable(name) == nil
            {
                add("the result has no column for \(what)")
            } else if columns.isEmpty,
                stored.isOptional
            {
                warnOfNil(property.name.text, type.block.name, besides: read)
            }
        }
    }

    /// Checks the columns that `init(row:)` reads, unless it also asks which there are.
    private mutating func checkInitializer(_ body: Cursor, of type: TypeDeclaration) {
        guard !body.asksForColumns, !body.hasConditions else { return }
        let reader = "\(type.block.name).init(row:)"
        let accesses = accesses(in: body)
        for access in accesses {
            if let number = number(of: access) {
                checkColumn(number, access.type, reader)
            } else if let name = missingName(access) {
                if access.isNeeded {
                    add("the result has no column \(name), which \(reader) reads")
                } else {
                    warnOfNil(name, reader, besides: accesses.compactMap(\.name))
                }
            } else if isTooLarge(access) {
                add("the result has no column \(access.column.text), which \(reader) reads")
            }
        }
    }

    // MARK: Rows

    /// Checks what a closure, or another block of code, reads of a row.
    private mutating func check(_ accesses: [RowAccess], in body: Cursor) {
        // Which of several statements runs may decide what is read.
        let hasConditions = body.hasConditions
        guard !body.asksForColumns,
            !hasConditions || !call.isAlternative
        else { return }
        let list = statement.columns.map(\.name).joined(separator: ", ")
        for access in accesses {
            let location = access.column.location
            if let number = number(of: access) {
                // NULL may have been looked for in another column.
                let warnsOfNull = !hasConditions
                checkColumn(number, access.type, "the value", warnsOfNull, at: location)
            } else if let name = missingName(access) {
                if access.isNeeded {
                    add("no column is named \"\(name)\"; there are: \(list)", at: location)
                } else {
                    let others = accesses.compactMap(\.name)
                    warnOfNil(name, "the row", besides: others, at: location)
                }
            } else if isTooLarge(access) {
                add("the row has no such column; it has \(names.count): \(list)", at: location)
            }
        }
    }

    /// Warns of an optional with a name that is nearly that of a column, which nothing else reads.
    private mutating func warnOfNil(
        _ name: String,
        _ reader: String,
        besides others: [String],
        at location: Location? = nil
    ) {
        let unread = names.filter { !others.contains($0) }
        let lowercased = name.lowercased()
        if let meant = lowercased.nearest(in: unread),
            !meant.hasPrefix(lowercased),
            !lowercased.hasPrefix(meant),
            // Both may be columns of which the statement returns one.
            !database.hasColumn(lowercased) || !database.hasColumn(meant)
        {
            let text = "\(reader) has no column \"\(name)\", so this is nil"
            add("\(text); did you mean \(meant)?", .warning, at: location)
        }
    }

    /// The columns that a closure or an initializer reads of its row.
    private func accesses(in body: Cursor) -> [RowAccess] {
        // A second parameter is the result so far.
        guard body.block.parameters.count < 2 else { return [] }
        let rows = body.content.filter {
            index.block(ofParameter: $0) == body
                && !index.expectsError($0)
        }
        return rows.compactMap(index.rowAccess)
    }

    /// The number of the column that an access names, if only one is called so.
    private func number(of access: RowAccess) -> Int? {
        if let name = access.column.literalText?.lowercased() {
            return names.indices.filter { names[$0] == name }.only
        }
        return Int(access.column.text).flatMap { names.indices.contains($0) ? $0 : nil }
    }

    private func isTooLarge(_ access: RowAccess) -> Bool {
        access.isNeeded
            && Int(access.column.text) ?? 0 >= names.count
    }

    private func missingName(_ access: RowAccess) -> String? {
        access.column.literalText.flatMap {
            $0.isComputed
                || names.contains($0.lowercased())
                ? nil
                : $0
        }
    }
}

extension Cursor {
    private static let questions = "hasColumn columnNames slice".words
    private static let conditions = "if guard switch catch && || ?? map flatMap".words

    /// Whether what is in these braces asks which columns there are.
    fileprivate var asksForColumns: Bool {
        content.contains { Cursor.questions.contains($0.text) }
    }

    /// Whether what is in these braces may not all run.
    fileprivate var hasConditions: Bool {
        content.contains {
            Cursor.conditions.contains($0.text)
                || $0.isTernary
        }
    }

    /// Whether it is the question mark of `a ? b : c`, before which a blank stands.
    private var isTernary: Bool {
        let before = self - 1
        return text == "?"
            && before.location.offset + before.text.utf8.count < location.offset
    }
}
