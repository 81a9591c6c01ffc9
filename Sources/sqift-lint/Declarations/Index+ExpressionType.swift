/// The types of expressions, as far as the sources say them.
extension Index {
    /// Members whose types are known without their declarations.
    private static let knownMembers = [
        "lastInsertRowID": "Int64", "uuidString": "String", "absoluteString": "String",
        "timeIntervalSince1970": "Double", "count": "Int", "now": "Date",
    ]
    /// The same for methods.
    private static let knownMethods = [
        "lowercased": "String", "uppercased": "String", "trimmingCharacters": "String",
        "addingTimeInterval": "Date",
    ]

    /// The settings whose closures get a connection.
    private static let preparations =
        "writerConnectionPreparation readerConnectionPreparation".words

    /// How deep constants of constants are followed.
    private static let deepest = 8

    /// The name of the type that an expression has, by its first token and the token after it. It
    /// is `[` for an array and a dictionary, and nil if the sources don't say it.
    func typeName(of start: Cursor, to end: Cursor) -> String? {
        let expression = typedExpression(start, upTo: end, 0)
        return expression.end == end
            ? expression.type
            : nil
    }

    /// The name of the type of a variable or a parameter.
    func typeName(of variable: Variable) -> String? {
        typeName(of: variable, 0)
    }

    private typealias TypedExpression = (type: String?, end: Cursor)

    /// An operand with the members after it, of which the last ends before `end` if that is given.
    private func typedExpression(
        _ start: Cursor,
        upTo end: Cursor? = nil,
        _ depth: Int
    ) -> TypedExpression {
        guard depth < Index.deepest else { return (nil, start) }
        var expression = operand(start.afterTry, depth)
        while true {
            let sign = expression.end.after(["?", "!"])
            guard sign == ".",
                (sign + 1).isName,
                expression.end != end,
                sign != end
            else {
                return (expression.type, sign == end ? sign : expression.end)
            }
            let member = sign + 1
            let type = expression.type.flatMap { self.type(of: member, in: $0, depth) }
            expression = (type, member.callEnd)
        }
    }

    /// A literal, a name or a call, without the members after it.
    private func operand(_ start: Cursor, _ depth: Int) -> TypedExpression {
        switch start.kind {
        case .text: return ("String", start + 1)
        case .number: return (start.text.contains(".") ? "Double" : "Int", start + 1)
        case .opening where start == "[": return ("[", start.next)
        case .opening where start == "(":
            guard let inner = start.arguments.only else { return (nil, start.next) }
            let expression = typedExpression(inner.start, depth + 1)
            return (expression.end == inner.end ? expression.type : nil, start.next)
        case .name where start == "self": return (start.typeNames.first, start + 1)
        case .name where start.text.first?.isUppercase == true:
            var name = start
            while name[1] == ".", name[2].first?.isUppercase == true {
                name = name + 2
            }
            // A constant may be called so, too.
            let path = (start..<name + 1).filter(\.isName).map(\.text)
            if name[1] != "(",
                let constant = variable(path, at: start),
                constant.value != nil
            {
                return (typeName(of: constant, depth), name + 1)
            }
            return (name.text, name.callEnd)
        case .name where start[1] == "(":
            let result = result(ofFunction: start.text, in: start.typeNames)
            return (result, start.callEnd)
        case .name:
            let type =
                variable(start).flatMap { typeName(of: $0, depth) }
                ?? block(ofParameter: start).flatMap { parameterType(of: $0, start) }
            return (type, start + 1)
        default: return (nil, start)
        }
    }

    private func typeName(of variable: Variable, _ depth: Int) -> String? {
        guard depth < Index.deepest else { return nil }
        if let type = variable.type {
            return name(of: type)
        }
        if let closure = variable.function {
            return parameterType(of: closure, variable.name)
        }
        guard let value = variable.value else {
            let other = self.variable([variable.name.text], at: variable.name - 1)
            let isOther =
                other != nil
                && other?.name != variable.name
            return isOther && variable.name.unwrapsItself
                ? other.flatMap { typeName(of: $0, depth + 1) }
                : nil
        }
        if variable.isElement {
            return elementType(of: value.afterTry)
        }
        let expression = typedExpression(value, depth + 1)
        let end = expression.end
        let isWhole =
            end.endsExpression
            || end == ","
            || end == "else"
            || end == "{"
        return isWhole
            ? expression.type
            : nil
    }

    /// The name of a written type, also by its alias.
    private func name(of type: Cursor) -> String? {
        guard let name = type.typeName else { return nil }
        // Another library's type may have the same name.
        let isQualified =
            name[-1] == "."
            && !["SQift", "."].contains(name[-2])
        // `Statement.Parameters` isn't a type of the sources.
        if isQualified,
            Index.types.contains(name.text) || types[name.text] != nil && self.type(name) == nil
        {
            return nil
        }
        let path =
            isQualified
            ? [name[-2], name.text]
            : [name.text]
        let other = variable(path, at: name)
        if other != nil, other?.type == nil {
            return nil
        }
        let text = (other?.type?.typeName ?? name).text
        // Without the import, another library's type has this name.
        let isForeign =
            Index.types.contains(text)
            && !name.file.imports.contains("SQift")
        return isForeign ? nil : text
    }

    /// The name of the elements' type of a variable that is an array: `for element in elements`.
    private func elementType(of value: Cursor) -> String? {
        guard let variable = variable(value.path.names, at: value),
            let type = variable.type, type == "[", type.typeName == type
        else { return nil }
        return name(of: type + 1)
    }

    /// The type of a closure's first parameter, as the function says that gets the closure.
    private func parameterType(of closure: Cursor, _ parameter: Cursor) -> String? {
        let names = closure.block.parameters.map(\.name.text)
        let isFirst =
            parameter == "$0"
            || names.first == parameter.text
        let function = closure.callee
        guard isFirst,
            closure.block.kind == .closure
        else { return nil }
        let isOfConnection =
            function == "Migration"
            || function.handsConnection && isSQiftsAccess(function)
            || function == "=" && Index.preparations.contains(function[-1])
        if isOfConnection {
            return "Connection"
        }
        let closureTypes = functions[function.text]?.only?.block.parameters.compactMap {
            $0.closureParameters?.first?.start
        }
        return closureTypes?.only.flatMap(name)
    }

    /// Whether a method that passes a connection to its closure is SQift's. In a file that doesn't
    /// import it, the type must say so.
    private func isSQiftsAccess(_ method: Cursor) -> Bool {
        if let type = typeName(of: method.chainStart, to: method - 1) {
            return isOfSQift(type, at: method)
        }
        return method.file.imports.contains("SQift")
            && !isForeign(method.text)
    }

    // MARK: Members

    private func type(of member: Cursor, in owner: String, _ depth: Int) -> String? {
        let isMethod = member[1] == "("
        if let declaration = type(named: owner) {
            if isMethod {
                return result(ofFunction: member.text, in: declaration.bodies.map(\.block.name))
            }
            if member == "rawValue",
                declaration.block.keyword == "enum"
            {
                return declaration.block.conformances.first?.text
            }
            if declaration.hasCase(member.text) {
                return owner
            }
            let variable = declaration.variable(named: member.text)
            return variable.flatMap { typeName(of: $0, depth + 1) }
        }
        switch member.text {
        case "init": return owner
        case "prepare" where isMethod && Index.types.contains(owner): return "Statement"
        case "bind" where isMethod && owner == "Statement":
            return "Statement"
        default:
            return isMethod
                ? Index.knownMethods[member.text]
                : Index.knownMembers[member.text]
        }
    }

    /// The name of the type that a function returns, one of these types or a free one.
    private func result(ofFunction name: String, in types: [String]) -> String? {
        let bodies = (functions[name] ?? []).filter { body in
            body.typeNames.first.map(types.contains) ?? true
        }
        let results = Set(bodies.map { $0.block.result.flatMap(self.name) })
        return results.only ?? nil
    }

    /// Whether the sources declare a type, an alias or the like of this name.
    func declaresType(_ name: String) -> Bool {
        types[name] != nil
            || files.contains { $0.variables[name] != nil }
    }

    /// The type of the sources that has a name which no other has.
    func type(named name: String) -> TypeDeclaration? {
        types[name]?.only
    }
}

extension Argument {
    /// The parameters of a parameter that is a closure: of `(Connection) throws -> T`.
    fileprivate var closureParameters: [Argument]? {
        let tokens = start..<end
        guard tokens.contains(where: { $0 == "->" }) else { return nil }
        return tokens.first { $0 == "(" }?.arguments
    }
}

extension Cursor {
    /// Whether it stands alone in a condition: `if let name`.
    fileprivate var unwrapsItself: Bool {
        ["let", "var"].contains(self[-1])
            && ["if", "guard", "while", ","].contains(self[-2])
            && ["{", ",", "else"].contains(self[1])
            && parent != "("
    }

    /// The token after this name, or after the call with it.
    fileprivate var callEnd: Cursor {
        self[1] == "("
            ? trailingClosure?.next ?? (self + 1).next
            : self + 1
    }
}

extension Set {
    /// The element that is alone.
    fileprivate var only: Element? { count == 1 ? first : nil }
}
