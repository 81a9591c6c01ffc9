// The columns of a statement against what the code reads.
extension CallCheck {
    private static let numbers =
        "Int Int8 Int16 Int32 Int64 UInt UInt8 UInt16 UInt32 UInt64 Double Float Bool".words

    /// The types of one value, and of no list of them.
    static let scalars = numbers.union("String Data URL UUID Date Decimal".words)

    /// SQift's types that are one value.
    static let bindings =
        "ArrayBinding SetBinding DictionaryBinding CodableBinding UnixDate BindingValue".words

    mutating func checkResult() {
        if names.isEmpty {
            add("the statement returns no columns; use run", .warning)
        } else if let doubt = schema.allColumnsDoubt(of: call.words),
            call.words.contains(anyOf: "*")
        {
            report.extent = .part(doubt)
        } else if let closure = call.name.closure {
            checkClosure(closure)
        } else if let tuple = call.arguments["as"] {
            checkTuple(tuple.start)
        } else if call.arguments["body"] == nil {
            check(index.resultType(of: call.name.chainStart, to: call.end))
        }
    }

    // MARK: Shapes

    private mutating func check(_ type: Cursor?) {
        guard let type else { return }
        let element = type == "[" ? type + 1 : type
        if element != type, element.typeEnd == ":" {
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
        }
    }

    private mutating func checkTuple(_ start: Cursor) {
        guard start.typeEnd.reads(".", "self"),
            !start.content.contains(where: { $0 == "<" })
        else { return }
        location = start.location
        let types = start == "(" ? start.arguments.map(\.start) : [start]
        guard types.count <= names.count else {
            let columns = names.count.counted("column")
            return add("the result has \(columns), but the tuple has \(types.count)")
        }
        for (index, type) in types.enumerated() {
            checkColumn(index, type, "column \(index)")
        }
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
            isSnakeCase ? name.filter { $0 != "_" } : name
        }
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
            }
        }
    }

    /// Checks the columns that `init(row:)` reads, unless it also asks which there are.
    private mutating func checkInitializer(_ body: Cursor, of type: TypeDeclaration) {
        let questions = "if guard switch catch && ?? hasColumn columnNames slice".words
        let isOpen = body.content.contains {
            questions.contains($0.text)
                || $0 == "?" && ($0 + 1).isName && !($0 + 1).startsLine
        }
        for name in columns(readBy: body).compactMap(missingName) where !isOpen {
            add("the result has no column \(name), which \(type.block.name).init(row:) reads")
        }
    }

    // MARK: Rows

    private mutating func checkClosure(_ closure: Cursor) {
        let list = statement.columns.map(\.name).joined(separator: ", ")
        for column in columns(readBy: closure) {
            if let name = missingName(column) {
                add("no column is named \"\(name)\"; there are: \(list)", at: column.location)
            } else if Int(column.text) ?? 0 >= names.count {
                add(
                    "the row has no such column; it has \(names.count): \(list)",
                    at: column.location
                )
            }
        }
    }

    /// The columns that a closure or an initializer reads of its row.
    private func columns(readBy body: Cursor) -> [Cursor] {
        // A second parameter is the result so far.
        guard body.block.parameters.count < 2 else { return [] }
        let rows = body.content.filter {
            index.block(ofParameter: $0) == body
                && !index.expectsError($0)
        }
        return rows.compactMap(column)
    }

    private func missingName(_ column: Cursor) -> String? {
        column.literalText.flatMap {
            $0.isComputed || names.contains($0.lowercased()) ? nil : $0
        }
    }

    /// What stands in the brackets of `row.get("name")` or `row[0]`, if it has to be there: where
    /// an optional is wanted, a subscript without a column is nil.
    private func column(of row: Cursor) -> Cursor? {
        let isGet = (row + 1).reads(".", "get", "(")
        let value = row + (isGet ? 4 : 2)
        let type = index.resultType(of: row, to: value + 2)
        let isNeeded = type?.typeName != nil && type?.isOptional == false
        let isColumn =
            row[-1] != "."
            && (value + 1).kind == .closing
            && (isGet || row[1] == "[" && isNeeded)
        return isColumn ? value : nil
    }

    // MARK: Columns

    /// Checks whether a column can be read as a type.
    private mutating func checkColumn(_ number: Int, _ type: Cursor, _ what: String) {
        guard let name = type.typeName,
            !isOpen,
            !schema.isExtended(statement.columns[number].table),
            // In these the column may be that of several tables.
            !call.words.contains(anyOf: "union", "except", "intersect"),
            // A view may have a condition, or be one of these.
            schema.views.isDisjoint(with: call.words.compactMap(\.name))
        else { return }
        // For an enumeration, the type of its raw values, which is written first. No other type of
        // the sources is stored as its first protocol is called.
        var stored = name.text
        if let own = index.type(name) {
            let raw = own.conformances.first?.text ?? ""
            stored = own.codesItself ? "" : raw
        }
        // A column of such a type holds every number as text: https://sqlite.org/datatype3.html
        let holdsText = """
            type NOT LIKE '%INT%'
                AND (type LIKE '%CHAR%' OR type LIKE '%CLOB%' OR type LIKE '%TEXT%')
            """
        let column = statement.columns[number]
        let subject = "\(what): column \(column.origin)"
        let text = type.typeTokens.map(\.text).joined()
        if CallCheck.numbers.contains(stored),
            let type = database.type(of: column, where: holdsText)
        {
            add("\(subject) is \(type), which can't be read as \(text)")
        } else if !type.isOptional,
            // An array is stored as JSON.
            stored == "[" || CallCheck.scalars.contains(stored),
            isNullable(column)
        {
            add("\(subject) may be NULL, but \(text) isn't optional", .warning)
        }
    }

    /// Whether nothing keeps NULL out of the column, as far as one sees.
    private func isNullable(_ column: CompiledStatement.Column) -> Bool {
        let conditions = call.words.drop {
            !["where", "having", "on", "using", "json_each", "json_tree"].contains($0.text)
        }
        let isMentioned = conditions.contains {
            [column.origin.lowercased(), column.name.lowercased()].contains($0.name)
        }
        // SQLite allows NULL in some keys, where it is never stored. Virtual tables have rules of
        // their own. A CHECK may say it.
        let name = column.origin
        let condition = """
            pk = 0 AND "notnull" = 0 AND hidden < 2 AND 0 = (
                SELECT rootpage = 0
                    OR sql LIKE '%\(name) NOTNULL%'
                    OR sql LIKE '%\(name) IS NOT NULL%'
                    OR sql LIKE '%typeof(\(name))%'
                FROM sqlite_schema
                WHERE name = '\(column.table)' COLLATE NOCASE
            )
            """
        return options.warnsOfNull
            && !isMentioned
            && !call.words.contains(anyOf: "right", "full", "natural")
            && statement.isReadOnly
            && database.type(of: column, where: condition) != nil
    }
}
