extension SourceFile {
    /// Finds what the file declares.
    func scanDeclarations() {
        for cursor in cursors {
            if cursor.isName,
                cursor[-1] != ".",
                cursor[1] != ":"
            {
                scanName(cursor)
            } else if cursor == "{", blocks[cursor.index] == nil {
                addBlock(cursor, Block(kind: .closure, parameters: closureParameters(cursor)))
                addCaptures(cursor)
            }
        }
    }

    private func scanName(_ keyword: Cursor) {
        switch keyword.text {
        // The module comes second after `struct` and the like.
        case "import": imports.formUnion([keyword[1], keyword[2]])
        case "struct", "class", "enum", "actor", "extension", "protocol":
            // A variable, or a case of an enumeration, may be called `actor`.
            if keyword[1] != "in",
                !(keyword + 1).startsLine
            {
                scanType(keyword)
            }
        case "func", "init", "subscript": scanFunction(keyword)
        case "let", "var", "typealias", "associatedtype":
            // With attributes, which may be of a module, be generic, and have arguments.
            let modifiers = sequence(first: keyword - 1) { $0.partner - 1 }
                .prefix {
                    $0.isName
                        || [")", ".", "<", ",", ">"].contains($0.text)
                }
            scanVariables(keyword, modifiers)
        case "for":
            addStatement(keyword)
            scanVariables(keyword, [])
        case "while"
        where keyword[-1] == "}"
            && !keyword.startsLine:
            break
        case "if", "else", "while", "switch", "do", "catch", "repeat", "defer":
            addStatement(keyword)
        default: break
        }
    }

    private func addBlock(_ brace: Cursor, _ block: Block) {
        guard brace == "{" else { return }
        blocks[brace.index] = block
        for parameter in block.parameters {
            add(
                Variable(
                    name: parameter.name,
                    scope: brace,
                    type: parameter.label == nil
                        ? nil
                        : parameter.start,
                    function: brace
                )
            )
        }
    }

    private func addStatement(_ keyword: Cursor) {
        let brace = keyword.first("{")
        statement = brace.index
        addBlock(brace, Block(kind: .statement))
    }

    private func scanType(_ keyword: Cursor) {
        guard (keyword + 1).isName else { return }
        let end = (keyword + 1).path.end
        let brace = keyword.first("{")
        let head = end..<brace
        addGenerics(head, brace)
        let conformances = head.drop {
            $0 != ":"
        }.prefix {
            $0 != "where"
        }
        let block = Block(
            kind: .type,
            name: end[-1],
            keyword: keyword.text,
            typeName: end - 1,
            conformances: conformances.filter(\.isName)
        )
        addBlock(brace, block)
    }

    /// Adds the names of generic parameters, which mean no type of the sources. Those of protocols
    /// after a comma come along.
    private func addGenerics(_ head: [Cursor], _ scope: Cursor) {
        for name in head where "<,".contains(name[-1]) {
            add(Variable(name: name, scope: scope))
        }
    }

    private func scanFunction(_ keyword: Cursor) {
        let opening = keyword.first("(")
        let sign = opening.next.first("->", "{")
        addGenerics(keyword..<opening, keyword.parent)
        let block = Block(
            kind: .function,
            name: keyword == "func"
                ? keyword[1]
                : keyword.text,
            parameters: opening.arguments,
            result: sign == "->" ? sign + 1 : nil
        )
        addBlock(sign.first("{"), block)
    }

    /// Adds the names that a keyword declares, of which only one alone has a type and a value.
    private func scanVariables(_ keyword: Cursor, _ modifiers: [Cursor]) {
        let name = (keyword + 1).afterTry
        // Between `if` and its brace, for what is in the braces.
        let brace = keyword.braces.first ?? self[-1]
        let scope =
            statement > keyword.index
            ? self[statement]
            : brace
        for name in name.namesInPattern {
            add(Variable(name: name, scope: scope))
        }
        var variable = Variable(name: name, scope: scope)
        var end = name + 1
        let isAlias = keyword == "typealias"
        if end == ":" || isAlias {
            // Another branch, or what wraps the variable, may give it another type.
            let isOpen =
                modifiers.contains { $0.text.hasPrefix("@") }
                || branches.contains { $0 == "#endif" }
                    && keyword.first("#if", "#endif") == "#endif"
            variable.type = isOpen ? nil : end + 1
            end = (end + 1).typeEnd
        }
        let isComputed =
            end == "{"
            && keyword == "var"
            && !end[1].hasSuffix("Set")
        if isComputed {
            addBlock(end, Block(kind: .function, name: name.text, result: variable.type))
        }
        // A subclass may replace it.
        let isOpen = modifiers.contains { $0 == "class" || $0 == "open" }
        variable.isConstant =
            (keyword == "let" || isComputed)
            && !isOpen
        variable.isOverride = modifiers.contains { $0 == "override" }
        variable.isStored =
            !isAlias
            && !isComputed
            && !modifiers.contains { $0[-1] != "." && ["static", "lazy"].contains($0.text) }
        // After a brace, the one expression that it may be.
        variable.isElement = keyword == "for" && end == "in"
        variable.value =
            end == "="
                || isComputed
                || variable.isElement ? end + 1 : nil
        add(variable)
        if end == "," {
            scanVariables(end, modifiers)
        }
    }

    private func add(_ variable: Variable) {
        variables[variable.name.text, default: []].append(variable)
    }

    /// Adds what a closure calls by a name of its own: `{ [name = value] in … }`.
    private func addCaptures(_ brace: Cursor) {
        let list = brace + 1
        guard list == "[",
            list.next.first("in", "for") == "in"
        else { return }
        for name in list.content
        where name.isName
            && name[1] == "="
            && name.parent == list
        {
            add(Variable(name: name, scope: brace))
        }
    }

    /// The parameters before `in`.
    private func closureParameters(_ brace: Cursor) -> [Argument] {
        let start = brace + 1
        guard start.first("in", "for") == "in" else { return [] }
        let end = start.first("(", "->", "in")
        let names = (start..<end).filter {
            $0.isName && $0.parent == brace
        }
        return end == "("
            ? end.arguments
            : names.map { Argument($0, $0 + 1) }
    }
}

extension Cursor {
    /// The names that a pattern which begins here binds in its brackets: `(a, b)` or `.some(a, b)`.
    fileprivate var namesInPattern: [Cursor] {
        let opening = path.end
        guard opening == "(",
            opening == self || self == "." || self[1] == "."
        else { return [] }
        return opening.content.filter { $0.isName && $0[-1] != "." && $0[1] != ":" }
    }
}
