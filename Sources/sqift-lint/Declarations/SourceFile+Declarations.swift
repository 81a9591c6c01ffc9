extension SourceFile {
    private static let modifiers: Set<String> = [
        "public", "private", "internal", "fileprivate", "package", "open", "static", "class",
        "lazy", "weak", "unowned", "final", "override", "nonisolated", "mutating", "set", "unsafe",
    ]
    /// What may follow the parameters of a function.
    private static let effects: Set<String> = ["async", "throws", "rethrows"]

    /// Finds what the file declares.
    func scanDeclarations() {
        for index in tokens.indices {
            switch tokens[index].kind {
            case .name where self[index][-1] != ".":
                scanName(self[index])
            case .opening
            where tokens[index].text == "{"
                && blocks[index] == nil:
                scanBlock(self[index])
            default: break
            }
        }
    }

    private func scanName(_ keyword: Cursor) {
        switch keyword.text {
        case "import":
            let kinds: Set<String> = ["struct", "class", "enum", "protocol", "func"]
            imports.insert((keyword + 1).after(kinds).text)
        case "struct", "class", "enum", "actor", "extension", "protocol": scanType(keyword)
        case "func", "init", "subscript": scanFunction(keyword)
        case "let", "var": scanVariables(keyword)
        case "for" where keyword[1] != ":":
            let content = (1..<20).map {
                keyword + $0
            }
            addNames(in: content.prefix { $0 != "in" }, of: keyword)
        case "catch": addCatch(keyword)
        case "#expect" where keyword[2] == "throws": addCatch(keyword)
        default: break
        }
    }

    private func addCatch(_ cursor: Cursor) {
        for block in cursor.braces.compactMap(\.block) where block.kind == .function {
            catchingFunctions.insert(block.name)
        }
    }

    // MARK: Types and functions

    private func scanType(_ keyword: Cursor) {
        var cursor = keyword + 1
        guard cursor.isName,
            !["func", "var", "let"].contains(cursor.text)
        else { return }
        let type = cursor.takeType()
        var conformances: [String] = []
        var isConformance = true
        while cursor != "{" {
            guard cursor.kind != .outside,
                cursor.kind != .closing
            else { return }
            isConformance = isConformance && cursor != "where"
            if isConformance, cursor.isName {
                conformances.append(cursor.text)
            }
            cursor = cursor.next
        }
        blocks[cursor.index] = Block(
            kind: .type,
            name: type.name ?? keyword[1],
            keyword: keyword.text,
            conformances: conformances
        )
    }

    private func scanFunction(_ keyword: Cursor) {
        var cursor = keyword + 1
        while cursor != "(" {
            let isOver =
                cursor.kind == .outside
                || cursor.kind == .closing
            guard !isOver, cursor != "{" else { return }
            cursor += 1
        }
        let parameters = parameters(cursor)
        cursor = afterEffects(cursor.next)
        var result: TypeSyntax?
        if cursor == "->" {
            cursor += 1
            let type = cursor.takeType()
            let isWhole = cursor == "{" || cursor.startsLine || cursor.isName
            result = isWhole ? type : .other
        }
        if cursor == "where" {
            while cursor.isName || cursor.kind == .sign {
                cursor += 1
            }
        }
        guard cursor == "{" else { return }
        let name = keyword == "func" ? keyword[1] : keyword.text
        blocks[cursor.index] = Block(
            kind: .function,
            name: name,
            parameters: parameters,
            result: result
        )
    }

    private func afterEffects(_ start: Cursor) -> Cursor {
        var cursor = start
        while SourceFile.effects.contains(cursor.text) {
            cursor += 1
            if cursor == "(" {
                cursor = cursor.next
            }
        }
        return cursor
    }

    /// The parameters by the names that the body uses.
    private func parameters(_ opening: Cursor) -> [String: TypeSyntax] {
        var result: [String: TypeSyntax] = [:]
        for parameter in opening.arguments {
            let head = parameter.tokens.prefix { $0 != ":" }
            if let label = parameter.label {
                result[label] = parameter.typeAtStart
            } else if let name = head.last,
                head.allSatisfy(\.isName)
            {
                result[name.text] = Argument(name, parameter.end).typeAtStart
            }
        }
        return result
    }

    // MARK: Variables

    private func scanVariables(_ keyword: Cursor) {
        if keyword[1] == "(" {
            return addNames(in: (keyword + 1).content[...], of: keyword)
        }
        let conditions = ["if", "guard", "while", "case", ",", "async"]
        let isConditional = conditions.contains(keyword[-1])
        let modifiers = modifiers(before: keyword)
        var cursor = keyword + 1
        while cursor.isName {
            let name = cursor
            var variable = Variable(name: name, scope: keyword.parent)
            cursor += 1
            if cursor == ":" {
                cursor += 1
                variable.type = cursor.takeType()
            }
            variable.isConstant = keyword == "let"
            variable.isStatic = !modifiers.isDisjoint(with: ["static", "class"])
            if !modifiers.isDisjoint(with: ["@", "lazy"]) {
                variable.type = .other
            }
            if cursor == "{", !variable.isConstant {
                variable.isComputed = !["didSet", "willSet"].contains(cursor[1])
                blocks[cursor.index] = Block(
                    kind: .function,
                    name: name.text,
                    result: variable.type
                )
            }
            variable.isBound = isConditional
            if cursor == "=" {
                variable.equals = cursor
                assignments[cursor.index] = variable
            }
            add(variable)
            guard !isConditional, cursor == "," else { return }
            cursor += 1
        }
    }

    /// The modifiers, with `@` for an attribute.
    private func modifiers(before keyword: Cursor) -> Set<String> {
        var result: Set<String> = []
        var cursor = keyword - 1
        while true {
            let name = cursor == ")" ? cursor.previous : cursor
            if name.text.hasPrefix("@") {
                result.insert("@")
            } else if SourceFile.modifiers.contains(name.text) {
                result.insert(name.text)
            } else {
                return result
            }
            cursor = name - 1
        }
    }

    /// Adds names without a known value.
    private func addNames(in tokens: ArraySlice<Cursor>, of keyword: Cursor) {
        for name in tokens where name.isName {
            add(Variable(name: name, scope: keyword.parent))
        }
    }

    private func add(_ variable: Variable) {
        variables[variable.name.text, default: []].append(variable)
    }

    // MARK: Closures and statements

    private func scanBlock(_ brace: Cursor) {
        if let parameters = closureParameters(brace) {
            blocks[brace.index] = Block(kind: .closure, parameters: parameters)
        } else {
            blocks[brace.index] = Block(kind: isStatement(brace) ? .statement : .closure)
        }
    }

    /// The parameters before `in`, or nil if there is none.
    private func closureParameters(_ brace: Cursor) -> [String: TypeSyntax]? {
        var cursor = brace + 1
        if cursor == "[" {
            cursor = cursor.next
        }
        var parameters: [String: TypeSyntax] = [:]
        if cursor == "(" {
            parameters = self.parameters(cursor)
            cursor = cursor.next
        }
        while cursor.isName,
            cursor != "in",
            !SourceFile.effects.contains(cursor.text)
        {
            parameters[cursor.text] = .other
            cursor += (cursor[1] == "," ? 2 : 1)
        }
        cursor = afterEffects(cursor)
        if cursor == "->" {
            cursor += 1
            _ = cursor.takeType()
        }
        return cursor == "in" ? parameters : nil
    }

    /// Whether the brace begins the body of `if`, `for` and the like, in whose line it stands.
    private func isStatement(_ brace: Cursor) -> Bool {
        let keywords: Set<String> = [
            "if", "else", "guard", "for", "while", "switch", "do", "repeat", "catch", "defer",
        ]
        var cursor = brace - 1
        while cursor.kind != .outside, cursor.kind != .opening {
            if keywords.contains(cursor.text),
                cursor[-1] != "."
            {
                return true
            }
            if cursor.kind == .closing {
                cursor = cursor.partner
            }
            if cursor.startsLine,
                cursor[-1] != ",",
                cursor != "{"
            {
                return false
            }
            cursor -= 1
        }
        return false
    }
}

extension Argument {
    /// The type that begins here, whatever follows it.
    fileprivate var typeAtStart: TypeSyntax {
        var cursor = start
        return cursor.takeType()
    }
}
