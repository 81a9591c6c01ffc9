/// What all files of a target, and of those that it uses, declare.
struct Index {
    let files: [SourceFile]
    /// Whether a file imports a library for tests.
    let hasTests: Bool
    private var types: [String: [TypeDeclaration]] = [:]
    /// The constants and variables outside types, and those in types as `Type.name`.
    private var globals: [String: [Variable]] = [:]
    /// The bodies of functions and computed variables.
    private(set) var functions: [String: [Cursor]] = [:]
    /// The functions that expect an error, by what they do.
    let catchingFunctions: Set<String>

    init(_ files: [SourceFile]) {
        self.files = files
        hasTests = files.contains {
            !$0.imports.isDisjoint(with: ["Testing", "XCTest"])
        }
        catchingFunctions = files.reduce(into: []) {
            $0.formUnion($1.catchingFunctions)
        }
        var extensions: [(Block, Cursor)] = []
        for file in files {
            for (index, block) in file.blocks {
                let brace = file[index]
                switch block.kind {
                case .type where block.keyword == "extension":
                    extensions.append((block, brace))
                case .type:
                    types[block.name, default: []].append(TypeDeclaration(block, brace))
                case .function:
                    functions[block.name, default: []].append(brace)
                default: break
                }
            }
            for variable in file.variables.values.joined() {
                add(variable)
            }
        }
        for (block, brace) in extensions {
            type(named: block.name, at: brace)?.add(block, brace)
        }
    }

    private mutating func add(_ variable: Variable) {
        let name = variable.name.text
        guard let scope = variable.scope else {
            globals[name, default: []].append(variable)
            return
        }
        if let block = scope.block, block.kind == .type {
            globals["\(block.name).\(name)", default: []].append(variable)
        }
    }

    /// The type that a name means at a token, or nil if that isn't certain.
    func type(named name: String, at cursor: Cursor) -> TypeDeclaration? {
        guard let candidates = types[name], candidates.count > 1 else {
            return types[name]?.first
        }
        for brace in cursor.brackets {
            let near = candidates.filter { $0.body.parent == brace }
            if !near.isEmpty {
                return near.count == 1 ? near[0] : nil
            }
        }
        let outer = candidates.filter { $0.body.parent == nil }
        let own = outer.filter {
            $0.body.file == cursor.file
        }
        return own.count == 1 ? own[0] : outer.count == 1 ? outer[0] : nil
    }

    // MARK: Variables

    /// The only variable of this name outside types, or with `Type.name` the only one in a type.
    private func global(_ name: String) -> Variable? {
        globals[name].flatMap {
            $0.count == 1 ? $0[0] : nil
        }
    }

    /// The variable that a path such as `sql`, `Self.sql`, `.sql` or `Queries.sql` means at a
    /// token, or nil if that isn't certain.
    func variable(_ path: [String], at cursor: Cursor) -> Variable? {
        guard let name = path.last else { return nil }
        let owner = path.dropLast().last
        if owner == nil,
            let local = local(name, at: cursor)
        {
            return local
        }
        if let owner,
            !["", "self", "Self"].contains(owner)
        {
            return global("\(owner).\(name)")
        }
        let member = cursor.typeNames.lazy.compactMap { global("\($0).\(name)") }.first
        return member ?? (owner == nil ? global(name) : nil)
    }

    /// Where the value of the constant begins that a path means.
    func value(of path: [String], at cursor: Cursor) -> Cursor? {
        variable(path, at: cursor).flatMap {
            $0.isConstant ? $0.value : nil
        }
    }

    /// The innermost variable or parameter of a name in the blocks around a token.
    private func local(_ name: String, at cursor: Cursor) -> Variable? {
        let candidates = cursor.file.variables[name] ?? []
        for brace in cursor.braces {
            let isType = brace.block?.kind == .type
            let visible = candidates.last {
                $0.scope == brace
                    && ($0.name.index < cursor.index || isType)
            }
            if let visible {
                return visible
            }
            if let type = brace.block?.parameters[name] {
                return Variable(name: brace, scope: brace, type: type)
            }
        }
        return nil
    }

    /// The type that is written for a local name: a parameter's, a variable's, or that of a value
    /// such as `Car(…)`.
    func writtenType(of name: Cursor) -> TypeSyntax? {
        if let type = variable([name.text], at: name)?.type {
            return type
        }
        guard let value = value(of: [name.text], at: name) else { return nil }
        var cursor = value.after(["try", "await"])
        let type = cursor.takeType()
        let isCall =
            cursor == "("
            && type.name?.first?.isUppercase == true
        return isCall ? type : nil
    }

    // MARK: Texts

    /// The text of an argument, or nil if it isn't made of literals, constants and `+`.
    func text(of argument: Argument) -> SQLText? {
        var cursor = argument.start
        let text = sum(&cursor, 0)
        return cursor == argument.end ? text : nil
    }

    /// The same for a text without holes.
    func constant(_ argument: Argument?) -> String? {
        argument.flatMap(text).flatMap {
            $0.isConstant ? $0.string : nil
        }
    }

    /// Adds the terms of a sum, after which the cursor then is.
    private func sum(_ cursor: inout Cursor, _ depth: Int) -> SQLText? {
        guard var result = term(&cursor, depth) else { return nil }
        while cursor == "+" {
            cursor += 1
            guard let text = term(&cursor, depth) else { return nil }
            result.append(text)
        }
        return result
    }

    private func term(_ cursor: inout Cursor, _ depth: Int) -> SQLText? {
        let start = cursor
        if let literal = start.literal {
            cursor = start + 1
            return cursor == "."
                ? nil
                : text(of: literal, at: start, depth)
        }
        if start == "(" {
            cursor = start + 1
            let inner = sum(&cursor, depth)
            guard cursor == start.partner else { return nil }
            cursor += 1
            return inner
        }
        guard let path = start.path else { return nil }
        cursor = path.end
        guard cursor != "(",
            cursor != "[" || cursor.startsLine
        else { return nil }
        return text(of: path.names, at: start, depth)
    }

    private func text(of literal: StringLiteral, at cursor: Cursor, _ depth: Int) -> SQLText {
        var result = SQLText()
        var copied = 0
        for hole in literal.holes {
            let position = literal.position(of: hole)
            result.append(literal, copied..<position, of: cursor.file)
            copied = position
            let source = hole.lowerBound + 2 + literal.poundCount..<hole.upperBound - 1
            let expression = cursor.file.bytes.text(source).trimmed
            let path = expression.split(separator: ".", omittingEmptySubsequences: false)
            let isPath = path.allSatisfy {
                $0.utf8.allSatisfy(\.isWord)
            }
            let names = path.map(String.init)
            if isPath,
                let value = text(of: names, at: cursor, depth)
            {
                result.append(value)
            } else {
                result.appendHole(expression)
            }
        }
        result.append(literal, copied..<literal.bytes.count, of: cursor.file)
        return result
    }

    private func text(of path: [String], at cursor: Cursor, _ depth: Int) -> SQLText? {
        guard depth < 6,
            var end = value(of: path, at: cursor)
        else { return nil }
        let text = sum(&end, depth + 1)
        return end.endsExpression ? text : nil
    }
}
