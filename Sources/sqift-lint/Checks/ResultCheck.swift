/// Checks the columns of a statement against what the code reads.
struct ResultCheck {
    private let check: StatementCheck
    private let statement: CompiledStatement
    private let names: [String]
    private let words: [SQLWord]
    private(set) var messages: [Message] = []
    private var call: Call { check.call }
    private var file: SourceFile { check.call.file }

    private static let integers: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    ]

    init(_ check: StatementCheck, _ statement: CompiledStatement) {
        self.check = check
        self.statement = statement
        names = statement.columns.map { $0.name.lowercased() }
        words = SQLWord.words(check.sql.bytes)
        guard call.returnsRows else { return }

        if names.isEmpty {
            add(.error, "the statement returns no columns; use run", at: call.token)
        } else if let closure = call.closure {
            checkClosure(closure)
        } else if let tuple = call.argument("as") {
            checkTuple(tuple)
        } else if call.name == "query" || call.name == "queryFirst" {
            let start = file.chainStart(call.token)
            if let type = ResultType(call.declarations).ofExpression(start, call.end) {
                checkResult(type)
            }
        }
    }

    private mutating func add(_ severity: Message.Severity, _ text: String, at token: Int) {
        messages.append(Message(severity, text, at: check.place(of: token)))
    }

    // MARK: Shapes

    private mutating func checkResult(_ type: TypeSyntax) {
        switch type {
        case .dictionary(let key, let value):
            guard names.count > 1 else {
                let text = "a dictionary is made of two columns, but the result has 1"
                return add(.error, text, at: call.token)
            }
            checkColumn(0, key, "the key", at: call.token)
            checkColumn(1, value, "the value", at: call.token)
        case .array(let element): checkRow(element)
        case .optional(.array), .optional(.dictionary), .tuple, .other: break
        case .named, .optional: checkRow(type)
        }
    }

    private mutating func checkRow(_ type: TypeSyntax) {
        guard let name = type.name, name != "Row" else { return }
        let declaration = check.index.type(named: name, in: file, at: call.token)
        if let declaration, declaration.isA("ExpressibleByRow") {
            checkRow(declaration)
        } else {
            // For `T?` and NULL the result is nil, whichever of the two `T` is.
            checkColumn(0, type, "the result", at: call.token)
        }
    }

    private mutating func checkTuple(_ argument: Argument) {
        let (type, end) = file.type(at: argument.first)
        guard file[end] == ".", file[end + 1] == "self" else { return }
        var types = [type]
        if case .tuple(let parts) = type {
            types = parts
        }
        guard types.count <= names.count else {
            let text = "the result has \(names.count.counted("column")), "
            return add(.error, text + "but the tuple has \(types.count)", at: argument.first)
        }
        for (index, type) in types.enumerated() {
            checkColumn(index, type, "column \(index)", at: argument.first)
        }
    }

    // MARK: Types

    private mutating func checkRow(_ type: TypeDeclaration) {
        if let initializer = type.rowInitializer {
            return checkInitializer(initializer, of: type)
        }
        guard type.head.keyword == "struct", type.isA("Decodable", "Codable"), !type.decodesItself
        else { return }
        for property in type.properties where property.isDecoded {
            guard let key = type.key(of: property) else { continue }
            if let index = index(of: key, isSnakeCase: type.columnNamesAreSnakeCase) {
                let what = "\(type.name).\(property.name)"
                checkColumn(index, property.type, what, at: call.token)
            } else if property.type != .other, !property.type.isOptional {
                let text = "the result has no column for \(type.name).\(property.name)"
                add(.error, text, at: call.token)
            }
        }
    }

    private func index(of key: String, isSnakeCase: Bool) -> Int? {
        names.firstIndex(of: key.lowercased())
            ?? (isSnakeCase
                ? names.firstIndex {
                    $0.filter { $0 != "_" } == key.lowercased().filter { $0 != "_" }
                }
                : nil)
    }

    /// Checks the columns that `init(row:)` reads, unless it also asks which there are.
    private mutating func checkInitializer(
        _ initializer: (file: SourceFile, body: Int, row: String),
        of type: TypeDeclaration
    ) {
        let (file, body, row) = initializer
        let content = file.content(of: body)
        let asks = ["if", "guard", "switch", "hasColumn", "slice", "??", "catch", "columnNames"]
        let isOpen = content.contains { token in
            asks.contains(file[token])
                || file[token] == "try" && file[token + 1] == "?"
        }
        guard !isOpen else { return }
        for token in content where file[token] == row {
            if let (name, _) = column(readAt: token, in: file), let name,
                !names.contains(name.lowercased())
            {
                let text = "the result has no column \(name), which \(type.name).init(row:) reads"
                add(.error, text, at: call.token)
            }
        }
    }

    // MARK: Closures

    private mutating func checkClosure(_ closure: Int) {
        let parameters = call.declarations.blocks[closure]?.parameters ?? [:]
        guard parameters.count < 2 else { return }
        let row = parameters.keys.first ?? "$0"
        for token in file.content(of: closure) where file[token] == row {
            let inner = file.braces(around: token).prefix { $0 != closure }
            let isHidden = inner.contains { brace in
                let block = call.declarations.blocks[brace]
                return block?.kind == .closure
                    && (row == "$0" || block?.parameters[row] != nil)
            }
            let isExpected = Expectation(call.declarations, check.index).isAround(token)
            guard !isHidden, !isExpected, let (name, number) = column(readAt: token, in: file)
            else { continue }
            let place = token + (file[token + 1] == "." ? 4 : 2)
            if let name, !names.contains(name.lowercased()) {
                add(.error, "no column is named \"\(name)\"; there are: \(list)", at: place)
            } else if let number, number >= names.count {
                let text = "the row has no such column; it has \(names.count): \(list)"
                add(.error, text, at: place)
            }
        }
    }

    private var list: String {
        statement.columns.map(\.name).joined(separator: ", ")
    }

    /// The column that `row.get("name")` or `row[0]` reads.
    private func column(readAt token: Int, in file: SourceFile) -> (name: String?, number: Int?)? {
        guard file.isName(token), file[token - 1] != "." else { return nil }
        let isGet =
            file[token + 1] == "." && file[token + 2] == "get"
            && file[token + 3] == "("
        guard isGet || file[token + 1] == "[" && !file.startsLine(token + 1) else {
            return nil
        }
        let value = token + (isGet ? 4 : 2)
        guard file.kind(value + 1) == .closing else { return nil }
        return (file.plainText(value), Int(file[value]))
    }

    // MARK: Columns

    /// Checks whether a column can be read as a type.
    private mutating func checkColumn(
        _ index: Int,
        _ type: TypeSyntax,
        _ what: String,
        at token: Int
    ) {
        guard let name = type.name, let origin = statement.columns[index].origin,
            !isCompound, isKnown(origin)
        else { return }
        let stored = storedType(of: name)
        let isNumber =
            ResultCheck.integers.contains(stored) || ["Double", "Float", "Bool"].contains(stored)
        if origin.isText, isNumber {
            let text = "column \(origin.column) is \(origin.declaredType), "
            add(.error, "\(what): \(text)which can't be read as \(name)", at: token)
        } else if origin.isRowID, ["String", "Data", "URL"].contains(stored) {
            let text = "column \(origin.column) is the rowid, which can't be read as \(name)"
            add(.error, "\(what): \(text)", at: token)
        } else if check.options.warnsOfNull, !type.isOptional, isNumber || stored == "String",
            isNullable(origin)
        {
            let text = "column \(origin.column) may be NULL, but \(name) isn't optional"
            add(.warning, "\(what): \(text)", at: token)
        }
    }

    /// The type of a raw value, or the type itself.
    private func storedType(of name: String) -> String {
        let type = check.index.type(named: name, in: file, at: call.token)
        return type.map { $0.rawType ?? "" } ?? name
    }

    private var isCompound: Bool {
        words.contains { ["union", "except", "intersect"].contains($0.text) }
    }

    private func isKnown(_ origin: CompiledStatement.Origin) -> Bool {
        let table = origin.table.lowercased()
        return !check.looseNames.contains(table) && !check.schema.openTables.contains(table)
            && !table.hasPrefix("sqlite_") && !check.schema.database.isPartial
            && !origin.declaredType.isEmpty
    }

    /// Whether nothing keeps NULL out of the column, as far as one sees.
    private func isNullable(_ origin: CompiledStatement.Origin) -> Bool {
        let isOuter = words.contains { ["left", "right", "full"].contains($0.text) }
        let conditions = words.drop { !["where", "having", "on", "using"].contains($0.text) }
        let isMentioned = conditions.contains {
            $0.isName && $0.text.lowercased() == origin.column.lowercased()
        }
        let isJoined = words.contains { $0.text == "join" || $0.text == "," }
        return !origin.isNotNull && !origin.isRowID && !isMentioned && !(isOuter && isJoined)
            && !SQLWord.definitionVerbs.contains(call.verb)
            && !["insert", "update", "delete", "replace"].contains(call.verb)
    }
}
