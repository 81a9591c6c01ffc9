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

    init(_ files: [SourceFile]) {
        self.files = files
        hasTests = files.contains {
            !$0.imports.isDisjoint(with: ["Testing", "XCTest"])
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
        let block = variable.scope?.block
        guard variable.scope == nil || block?.kind == .type else { return }
        let owner = block.map { "\($0.name)." } ?? ""
        globals[owner + variable.name.text, default: []].append(variable)
    }

    /// The type that a name means at a token, or nil if that isn't certain.
    func type(named name: String, at cursor: Cursor) -> TypeDeclaration? {
        let candidates = types[name] ?? []
        let own = candidates.filter { type in
            type.body.file == cursor.file
                && type.body.parent.map(cursor.brackets.contains) != false
        }
        return [candidates, own].first { $0.count == 1 }?[0]
    }

    // MARK: Variables

    /// The variable that a path such as `sql`, `Self.sql`, `.sql` or `Queries.sql` means at a
    /// token, or nil if that isn't certain.
    func variable(_ path: [String], at cursor: Cursor) -> Variable? {
        let name = path.last ?? ""
        let owner = path.dropLast().last
        if owner == nil,
            let local = local(name, at: cursor)
        {
            return local
        }
        let isOwn = ["", "self", "Self"].contains(owner ?? "")
        let owners = isOwn ? cursor.typeNames : [owner ?? ""]
        var names = owners.map {
            "\($0).\(name)"
        }
        if owner == nil {
            names.append(name)
        }
        let candidates = names.lazy.compactMap { globals[$0] }
        return candidates.first { $0.count == 1 }?[0]
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
        let variable = variable([name.text], at: name)
        if let type = variable?.type {
            return type
        }
        guard let value = variable?.value?.after(["try", "await"]),
            value.typeEnd == "(",
            value.type.name?.first?.isUppercase == true
        else { return nil }
        return value.type
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

    /// The text of a sum of literals and constants, after which the cursor then is.
    private func sum(_ cursor: inout Cursor, _ depth: Int) -> SQLText? {
        var result = SQLText()
        repeat {
            if let literal = cursor.literal {
                result.append(text(of: literal, at: cursor, depth))
                cursor += 1
            } else if let path = cursor.path,
                let text = text(of: path.names, at: cursor, depth)
            {
                result.append(text)
                cursor = path.end
            } else {
                return nil
            }
            cursor += 1
        } while cursor[-1] == "+"
        cursor -= 1
        return result
    }

    private func text(of literal: StringLiteral, at cursor: Cursor, _ depth: Int) -> SQLText {
        var result = SQLText()
        for (byte, range) in literal.pieces {
            if let byte {
                let location = Location(file: cursor.file, offset: range.lowerBound)
                result.append(byte, at: location)
                continue
            }
            let expression = cursor.file.bytes.text(range).trimmed
            let path = expression.split(separator: ".", omittingEmptySubsequences: false)
            if let value = text(of: path.map(String.init), at: cursor, depth) {
                result.append(value)
            } else {
                result.appendHole(expression)
            }
        }
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
