/// What all files of a target, and of those that it uses, declare.
final class Index {
    let files: [SourceFile]
    /// Whether a file imports a library for tests.
    let hasTests: Bool
    var types: [String: [TypeDeclaration]] = [:]
    /// The constants and variables outside functions: `Car.columns`, or `.columns` outside of
    /// types.
    private var globals: [String: [Variable]] = [:]
    /// How many types have one of a name.
    private var memberCounts: [String: Int] = [:]
    /// The names of those that replace one of a superclass.
    private var overriddenNames: Set<String> = []
    /// The bodies of functions and computed variables.
    var functions: [String: [Cursor]] = [:]
    /// The bodies of closures and functions that migrations run.
    var migrations: [Cursor] = []

    /// All that the sources name.
    private(set) lazy var names = Set(
        files.lazy.flatMap(\.cursors)
            .filter(\.isName)
            .map(\.text)
    )

    /// Whether a function expects errors of the closures that it gets, once that is known.
    var catchingFunctions: [String: Bool] = [:]

    /// What a string is called, of which `.sql` may be a member.
    static let stringTypes = ["String", "SQL"]

    /// SQift's own, whose methods get SQL.
    static let types =
        "Connection Statement Database ConnectionQueue ConnectionPool DatabaseSnapshot".words

    init(_ files: [SourceFile]) {
        self.files = files
        hasTests = files.contains {
            !$0.imports.isDisjoint(with: ["Testing", "XCTest"])
        }
        var extensions: [Cursor] = []
        for file in files {
            for (index, block) in file.blocks {
                let brace = file[index]
                switch block.kind {
                // What all rows have by an extension, their types have as by a protocol.
                case .type
                where block.keyword == "extension"
                    && block.name != "ExpressibleByRow":
                    extensions.append(brace)
                case .type:
                    types[block.name, default: []].append(TypeDeclaration(brace))
                case .function:
                    functions[block.name, default: []].append(brace)
                default: break
                }
            }
            for variable in file.variables.values.joined() {
                let scope = variable.scope
                if scope.kind == .outside || scope.block.kind == .type {
                    let name = variable.name.text
                    globals["\(scope.block.name).\(name)", default: []].append(variable)
                    memberCounts[name, default: 0] += 1
                    if variable.isOverride {
                        overriddenNames.insert(name)
                    }
                }
            }
        }
        for brace in extensions {
            type(brace.block.typeName)?.bodies.append(brace)
        }
        let all = types.values.joined().map { ($0, inheritedBodies(of: $0)) }
        for (type, bodies) in all {
            type.bodies += bodies
        }
    }

    /// The bodies of the protocols and classes that a type comes from, and of theirs.
    private func inheritedBodies(of type: TypeDeclaration) -> [Cursor] {
        var bodies: [Cursor] = []
        var waiting = type.conformances
        var seen: Set = [ObjectIdentifier(type)]
        while let name = waiting.popLast() {
            guard let parent = self.type(name),
                seen.insert(ObjectIdentifier(parent)).inserted
            else { continue }
            bodies += parent.bodies
            waiting += parent.conformances
        }
        return bodies
    }

    /// The type that a name means where it stands, or nil if that isn't certain.
    func type(_ name: Cursor?) -> TypeDeclaration? {
        // An alias, or a generic parameter.
        guard let name,
            variable(name) == nil
        else { return nil }
        let isMember = name[-1] == "."
        let outer =
            isMember
            ? [name[-2]]
            : name.typeNames
        let visible = (types[name.text] ?? []).filter { type in
            let parent = type.bodies[0].parent
            return parent.kind == .outside
                ? !isMember
                : name.brackets.contains(parent)
                    || outer.contains(parent.block.name)
        }
        let own = visible.filter {
            $0.bodies[0].file == name.file
        }
        return visible.only ?? own.only
    }

    /// Whether a type of the sources has a method of this name.
    func isForeign(_ method: String) -> Bool {
        let owners = functions[method]?.compactMap(\.typeNames.first) ?? []
        return owners.contains { !Index.types.contains($0) || types[$0] != nil }
    }

    /// Whether a migration runs what stands here.
    func isInMigration(_ cursor: Cursor) -> Bool {
        cursor.brackets.contains {
            $0.callee == "Migration"
                || migrations.contains($0)
        }
    }

    // MARK: Variables

    /// The variable that a path such as `sql`, `Self.sql`, `.sql` or `Queries.sql` means at a
    /// token, or nil if that isn't certain.
    ///
    /// - Parameter types: Those that `.sql` may be a member of.
    func variable(
        _ path: [String],
        at cursor: Cursor,
        of types: [String] = Index.stringTypes
    ) -> Variable? {
        let name = path.last ?? ""
        let owner = path.dropLast().last
        if owner == nil,
            let local = local(name, at: cursor)
        {
            return local
        }
        // Swift declares these itself, in `catch`, `set`, `willSet` and `didSet`.
        if owner == nil,
            ["error", "newValue", "oldValue"].contains(name)
        {
            return nil
        }
        let owners =
            switch owner {
            case nil: cursor.typeNames + [""]
            case "": types
            case "self", "Self": cursor.typeNames
            case let owner?: [owner]
            }
        let members = owners.filter { !$0.isEmpty }
            .compactMap { globals["\($0).\(name)"] }
        if let member = members.first {
            return member.only
        }
        // A superclass's comes before one outside of types.
        let inherited = owners.compactMap { type(named: $0)?.variable(named: name) }
        return inherited.first
            ?? globals[".\(name)"].flatMap { owners.contains("") ? $0.only : nil }
    }

    /// The variable that a name alone means where it stands.
    func variable(_ name: Cursor) -> Variable? {
        variable([name.text], at: name)
    }

    /// Where the value of the constant begins that a path means.
    func value(
        of path: [String],
        at cursor: Cursor,
        in types: [String] = Index.stringTypes
    ) -> Cursor? {
        variable(path, at: cursor, of: types).flatMap {
            $0.isConstant
                && !mayBeReplaced($0)
                ? $0.value
                : nil
        }
    }

    /// Whether a subclass, or a type that conforms to a protocol, may have another value for it.
    private func mayBeReplaced(_ variable: Variable) -> Bool {
        let name = variable.name.text
        let owner = variable.scope.block
        guard owner.kind == .type,
            !variable.isOverride
        else { return false }
        let declared =
            owner.keyword == "extension"
            ? type(owner.typeName)?.block
            : owner
        let isOfProtocol = declared?.keyword == "protocol"
        return overriddenNames.contains(name)
            || isOfProtocol
                && memberCounts[name] != 1
    }

    /// The innermost variable or parameter of a name in the blocks around a token.
    private func local(_ name: String, at cursor: Cursor) -> Variable? {
        guard let candidates = cursor.file.variables[name] else { return nil }
        return cursor.braces.compactMap { brace in
            candidates.last {
                $0.scope == brace
                    && (brace.block.kind == .type || cursor.follows($0))
            }
        }.first
    }

    /// The brace of the function or the closure that has a name as its parameter.
    func block(ofParameter name: Cursor) -> Cursor? {
        if name == "$0" {
            return name.braces.first {
                $0.block.kind == .closure
            }
        }
        return variable(name)?.function
    }

    // MARK: Sums

    /// Where an operand begins, and the sum that it is written in.
    typealias Operand = (start: Cursor, sum: Cursor)

    /// The operands of a sum, those of constants in place of their names, and the token after the
    /// sum.
    ///
    /// - Parameter types: Those that a name after a dot may be a member of.
    func operands(
        of sum: Cursor,
        in types: [String] = Index.stringTypes,
        _ depth: Int = 0
    ) -> (list: [Operand], end: Cursor) {
        var list: [Operand] = []
        var end = sum - 1
        repeat {
            let start = (end + 1).afterTry
            end = start.operandEnd
            // A call isn't the constant of the same name.
            let path =
                start.path.end == end
                ? start.path.names
                : []
            list += operands(ofConstant: path, at: start, in: types, depth) ?? [(start, sum)]
        } while end == "+"
        return (list, end)
    }

    /// The operands of the sum that a path means.
    private func operands(
        ofConstant path: [String],
        at cursor: Cursor,
        in types: [String] = Index.stringTypes,
        _ depth: Int
    ) -> [Operand]? {
        guard depth < 6,
            let value = value(of: path, at: cursor, in: types)
        else { return nil }
        let sum = operands(of: value, in: types, depth + 1)
        return sum.end.endsExpression
            ? sum.list
            : nil
    }

    // MARK: Strings

    /// The text of an argument, or nil if it isn't made of literals, constants and `+`.
    func text(of argument: Argument) -> SQLText? {
        let sum = operands(of: argument.start)
        return sum.end == argument.end
            ? text(of: sum.list.map(\.start))
            : nil
    }

    /// The same for one without holes.
    func constant(_ argument: Argument?) -> String? {
        argument.flatMap(text).flatMap {
            $0.isConstant ? $0.bytes.text : nil
        }
    }

    func text(of operands: [Cursor], _ depth: Int = 0) -> SQLText? {
        var result = SQLText(start: operands[0].location)
        for operand in operands {
            guard let literal = operand.literal else { return nil }
            for (byte, start, end) in literal {
                let location = Location(file: operand.file, offset: start, end: end)
                if byte == 0xFF,
                    let constant = self.operands(ofConstant: location.path, at: operand, depth),
                    let value = text(of: constant.map(\.start), depth + 1)
                {
                    result.bytes += value.bytes
                    result.locations += value.locations
                } else {
                    result.bytes.append(byte)
                    result.locations.append(location)
                }
            }
        }
        return result
    }
}

extension Array {
    /// The element that is alone.
    var only: Element? { count == 1 ? self[0] : nil }
}
