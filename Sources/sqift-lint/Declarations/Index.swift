/// What all files of a target, and of those that it uses, declare.
struct Index {
    let files: [Declarations]
    /// Whether a file imports a library for tests.
    let hasTests: Bool
    private var types: [String: [TypeDeclaration]] = [:]
    /// The constants and variables outside types, and the static ones as `Type.name`.
    private var globals: [String: [(file: Declarations, variable: Variable)]] = [:]
    /// The functions outside of SQift's types that are called like SQift's.
    private(set) var functions: [String: [(file: SourceFile, body: Int)]] = [:]

    init(_ sources: [SourceFile]) {
        files = sources.map(Declarations.init)
        hasTests = files.contains { !$0.imports.isDisjoint(with: ["Testing", "XCTest"]) }
        for file in files {
            for head in file.types where head.keyword != "extension" {
                let type = TypeDeclaration(head, in: file.file)
                types[type.name, default: []].append(type)
                type.add(head, of: file)
            }
            for (name, variables) in file.variables {
                for variable in variables {
                    addGlobal(variable, named: name, of: file)
                }
            }
            for (brace, block) in file.blocks {
                if let name = block.functionName {
                    functions[name, default: []].append((file.file, brace))
                }
            }
        }
        for file in files {
            for head in file.types where head.keyword == "extension" {
                let name = head.name.split(separator: ".").last.map(String.init) ?? head.name
                type(named: name, in: file.file, at: head.token)?.add(head, of: file)
            }
        }
    }

    private mutating func addGlobal(_ variable: Variable, named name: String, of file: Declarations)
    {
        if variable.scope < 0 {
            globals[name, default: []].append((file, variable))
        } else if let type = file.blocks[variable.scope]?.typeName {
            let last = type.split(separator: ".").last.map(String.init) ?? type
            globals["\(last).\(name)", default: []].append((file, variable))
        }
    }

    /// The type that a name means at a token, or nil if that isn't certain.
    func type(named name: String, in file: SourceFile, at token: Int) -> TypeDeclaration? {
        guard let candidates = types[name] else { return nil }
        if candidates.count == 1 {
            return candidates[0]
        }
        let near = candidates.filter {
            $0.file === file && file.isInside(token, file.parents[$0.head.token])
        }
        let depth = { (type: TypeDeclaration) in file.parents[type.head.token] }
        if let innermost = near.max(by: { depth($0) < depth($1) }) {
            let isUnique = near.filter { depth($0) == depth(innermost) }.count == 1
            return isUnique ? innermost : nil
        }
        let outer = candidates.filter { $0.file.parents[$0.head.token] < 0 }
        return outer.count == 1 ? outer[0] : nil
    }

    /// The only variable of this name outside types, or with `Type.name` the only static one.
    private func global(_ name: String) -> (file: Declarations, variable: Variable)? {
        globals[name].flatMap { $0.count == 1 ? $0[0] : nil }
    }

    /// The variable that a path such as `sql`, `Self.sql`, `.sql` or `Queries.sql` means at a
    /// token, or nil if that isn't certain.
    func variable(
        _ path: [String],
        in declarations: Declarations,
        at token: Int
    ) -> (file: Declarations, variable: Variable)? {
        guard let name = path.last else { return nil }
        let owner = path.count > 1 ? path[path.count - 2] : nil
        let types = declarations.typeNames(around: token)
        switch owner {
        case nil:
            if let local = local(name, in: declarations, at: token) {
                return local.variable.map { (declarations, $0) }
            }
            return types.lazy.compactMap { global("\($0).\(name)") }.first ?? global(name)
        case "", "self", "Self": return types.lazy.compactMap { global("\($0).\(name)") }.first
        default: return global("\(owner ?? "").\(name)")
        }
    }

    /// The innermost variable of a name in the blocks around a token. Its variable is nil for a
    /// parameter, whose value nobody knows.
    private func local(
        _ name: String,
        in declarations: Declarations,
        at token: Int
    ) -> (variable: Variable?, type: TypeSyntax?)? {
        let file = declarations.file
        let candidates = declarations.variables[name] ?? []
        for brace in file.braces(around: token) {
            let isType = declarations.blocks[brace]?.typeName != nil
            let visible = candidates.last {
                $0.scope == brace && ($0.token < token || isType)
            }
            if let visible {
                return (visible, visible.type)
            }
            if let type = declarations.blocks[brace]?.parameters[name] {
                return (nil, type)
            }
        }
        return nil
    }

    /// The type that is written for a local name: a parameter's, a variable's, or that of a value
    /// such as `Car(…)`.
    func writtenType(
        of name: String,
        in declarations: Declarations,
        at token: Int
    ) -> TypeSyntax? {
        if let local = local(name, in: declarations, at: token), local.variable == nil {
            return local.type
        }
        guard let (file, variable) = variable([name], in: declarations, at: token) else {
            return nil
        }
        if let type = variable.type {
            return type
        }
        guard var value = variable.value else { return nil }
        while ["try", "await"].contains(file.file[value]) {
            value += 1
        }
        let (type, end) = file.file.type(at: value)
        let first = type.name?.first
        let isCall = file.file[end] == "(" && first?.isUppercase == true
        return isCall ? type : nil
    }
}
