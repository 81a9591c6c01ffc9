/// What one file declares.
struct Declarations {
    let file: SourceFile
    private(set) var blocks: [Int: Block] = [:]
    private(set) var variables: [String: [Variable]] = [:]
    private(set) var types: [TypeHead] = []
    private(set) var imports: Set<String> = []

    private static let statements: Set<String> = [
        "if", "else", "guard", "for", "while", "switch", "do", "repeat", "catch", "defer",
    ]
    private static let modifiers: Set<String> = [
        "public", "private", "internal", "fileprivate", "package", "open", "static", "class",
        "lazy", "weak", "unowned", "final", "override", "nonisolated", "mutating", "set", "unsafe",
    ]
    /// What may follow the parameters of a function.
    private static let effects: Set<String> = ["async", "throws", "rethrows"]

    init(_ file: SourceFile) {
        self.file = file
        guard file.isWhole else { return }
        for index in file.tokens.indices {
            switch file.kind(index) {
            case .name where file[index - 1] != ".": scanName(index)
            case .opening where file[index] == "{" && blocks[index] == nil: scanBlock(index)
            default: break
            }
        }
    }

    /// The innermost block around a token that fits.
    func block(around index: Int, where fits: (Block) -> Bool) -> Int? {
        file.braces(around: index).first { blocks[$0].map(fits) == true }
    }

    /// The names of the types around a token, innermost first, without their outer types.
    func typeNames(around index: Int) -> [String] {
        file.braces(around: index).compactMap { brace in
            blocks[brace]?.typeName?.split(separator: ".").last.map(String.init)
        }
    }

    /// Whether `var` declares what gets its value here.
    func isVariable(before equals: Int) -> Bool {
        variables.values.joined().contains { variable in
            !variable.isConstant && variable.token < equals && equals - variable.token < 6
                && file.parents[variable.token] == file.parents[equals]
        }
    }

    // MARK: Scanning

    private mutating func scanName(_ index: Int) {
        switch file[index] {
        case "import": scanImport(index)
        case "struct", "class", "enum", "actor", "extension", "protocol": scanType(index)
        case "func", "init", "subscript": scanFunction(index)
        case "let", "var": scanVariables(index)
        case "for" where file[index + 1] != ":": scanLoop(index)
        default: break
        }
    }

    private mutating func scanImport(_ index: Int) {
        var index = index + 1
        if ["struct", "class", "enum", "protocol", "func"].contains(file[index]) {
            index += 1
        }
        imports.insert(file[index])
    }

    private mutating func scanType(_ keyword: Int) {
        guard file.isName(keyword + 1), file[keyword + 1] != ":",
            !["func", "var", "let"].contains(file[keyword + 1])
        else { return }
        var (type, index) = file.type(at: keyword + 1)
        if type == .other {
            type = .named(file[keyword + 1])
        }
        guard case .named(let name) = type.unwrapped else { return }
        var conformances: [String] = []
        while let kind = file.kind(index), kind != .closing, file[index] != "{" {
            if file[index] == "where" {
                break
            }
            if file.isName(index) {
                conformances.append(file[index])
            }
            index = file.next(index)
        }
        while file.kind(index) != nil, file[index] != "{", file.kind(index) != .closing {
            index = file.next(index)
        }
        guard file[index] == "{" else { return }
        blocks[index] = Block(kind: .type(name))
        types.append(
            TypeHead(
                keyword: file[keyword],
                name: name,
                token: keyword,
                body: index,
                conformances: conformances
            )
        )
    }

    private mutating func scanFunction(_ keyword: Int) {
        var opening = keyword + 1
        while file.kind(opening) != nil, file[opening] != "(" {
            guard file.kind(opening) != .closing, file[opening] != "{" else { return }
            opening += 1
        }
        guard file[opening] == "(" else { return }
        let parameters = parameters(opening)
        var index = file.next(opening)
        while Declarations.effects.contains(file[index]) {
            index += 1
            if file[index] == "(" {
                index = file.next(index)
            }
        }
        var result: TypeSyntax?
        if file[index] == "->" {
            let (type, end) = file.type(at: index + 1)
            let isWhole = file[end] == "{" || file.startsLine(end) || file.isName(end)
            result = isWhole ? type : .other
            index = end
        }
        if file[index] == "where" {
            while file.kind(index) == .name || file.kind(index) == .sign {
                index += 1
            }
        }
        guard file[index] == "{" else { return }
        let name = file[keyword] == "func" ? file[keyword + 1] : file[keyword]
        blocks[index] = Block(kind: .function(name), parameters: parameters, result: result)
    }

    /// The parameters by the names that the body uses.
    private func parameters(_ opening: Int) -> [String: TypeSyntax] {
        var result: [String: TypeSyntax] = [:]
        var isName = true
        var name = ""
        var index = opening + 1
        while index < file.content(of: opening).upperBound {
            if file[index] == "," {
                isName = true
            } else if isName, file[index] == ":" {
                result[name] = file.type(at: index + 1).type
                isName = false
            } else if isName, file.isName(index) {
                name = file[index]
                result[name] = .other
            }
            index = file.next(index)
        }
        return result
    }

    private mutating func scanVariables(_ keyword: Int) {
        if file[keyword + 1] == "(" {
            return scanNames(in: file.content(of: keyword + 1))
        }
        let before = file[keyword - 1]
        let isConditional = ["if", "guard", "while", "case", ",", "async"].contains(before)
        let modifiers = modifiers(before: keyword)
        var index = keyword + 1
        while file.isName(index) {
            let name = index
            var type: TypeSyntax?
            index += 1
            if file[index] == ":" {
                let (written, end) = file.type(at: index + 1)
                type = written
                index = end
            }
            let hasValue = file[index] == "="
            let isConstant = file[keyword] == "let"
            let isComputed =
                file[index] == "{"
                && !["didSet", "willSet"].contains(file[index + 1])
            if file[index] == "{", !isConstant {
                blocks[index] = Block(kind: .function(file[name]), result: type)
            }
            add(
                Variable(
                    name: file[name],
                    token: name,
                    type: type,
                    value: hasValue && isConstant && !isConditional ? index + 1 : nil,
                    scope: file.parents[keyword],
                    isConstant: isConstant,
                    isStatic: modifiers.contains("static") || modifiers.contains("class"),
                    isComputed: isComputed,
                    hasDefault: hasValue,
                    hasWrapper: modifiers.contains("@") || modifiers.contains("lazy")
                )
            )
            guard !hasValue, !isConditional, file[index] == "," else { return }
            index += 1
        }
    }

    private func modifiers(before keyword: Int) -> Set<String> {
        var result: Set<String> = []
        var index = keyword - 1
        while true {
            if file[index] == ")" {
                index = file.partners[index] - 1
            }
            let text = file[index]
            if text.hasPrefix("@") {
                result.insert("@")
            } else if Declarations.modifiers.contains(text) {
                result.insert(text)
            } else {
                return result
            }
            index -= 1
        }
    }

    private mutating func scanLoop(_ keyword: Int) {
        var end = keyword + 1
        while end < keyword + 20, file.kind(end) != nil, file[end] != "in" {
            end += 1
        }
        scanNames(in: keyword + 1..<end)
    }

    /// Names without a known value.
    private mutating func scanNames(in range: Range<Int>) {
        for index in range where file.isName(index) {
            add(
                Variable(
                    name: file[index],
                    token: index,
                    type: nil,
                    value: nil,
                    scope: file.parents[range.lowerBound - 1],
                    isConstant: false,
                    isStatic: false,
                    isComputed: false,
                    hasDefault: false,
                    hasWrapper: false
                )
            )
        }
    }

    private mutating func add(_ variable: Variable) {
        variables[variable.name, default: []].append(variable)
    }

    // MARK: Closures and statements

    private mutating func scanBlock(_ brace: Int) {
        if let parameters = closureParameters(brace) {
            blocks[brace] = Block(kind: .closure, parameters: parameters)
        } else {
            blocks[brace] = Block(kind: isStatement(brace) ? .statement : .closure)
        }
    }

    /// The parameters before `in`, or nil if there is none.
    private func closureParameters(_ brace: Int) -> [String: TypeSyntax]? {
        var index = brace + 1
        if file[index] == "[" {
            index = file.next(index)
        }
        var parameters: [String: TypeSyntax] = [:]
        if file[index] == "(" {
            parameters = self.parameters(index)
            index = file.next(index)
        } else {
            while file.isName(index), file[index] != "in", !Self.effects.contains(file[index]) {
                parameters[file[index]] = .other
                index += file[index + 1] == "," ? 2 : 1
            }
        }
        while Declarations.effects.contains(file[index]) {
            index += 1
        }
        if file[index] == "->" {
            index = file.type(at: index + 1).end
        }
        return file[index] == "in" ? parameters : nil
    }

    /// Whether the brace begins the body of `if`, `for` and the like, in whose line it stands.
    private func isStatement(_ brace: Int) -> Bool {
        var index = brace - 1
        while index >= 0 {
            if Declarations.statements.contains(file[index]), file[index - 1] != "." {
                return true
            }
            if file.kind(index) == .closing {
                index = file.partners[index]
            } else if file.kind(index) == .opening {
                return false
            }
            if file.startsLine(index), file[index - 1] != ",", file[index] != "else",
                file[index] != "{"
            {
                return false
            }
            index -= 1
        }
        return false
    }
}
