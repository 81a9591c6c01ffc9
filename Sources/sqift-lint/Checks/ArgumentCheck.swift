/// Checks the values of a call against the parameters of its statement.
struct ArgumentCheck {
    private let call: Call
    private let statement: CompiledStatement
    private let index: Index
    private let evaluator: Evaluator
    private(set) var messages: [Message] = []
    private var file: SourceFile { call.file }

    /// Checks the call that has the SQL, and for `prepare` the later calls of the statement.
    init(_ call: Call, _ statement: CompiledStatement, _ index: Index) {
        self.call = call
        self.statement = statement
        self.index = index
        evaluator = Evaluator(index: index)
        if call.name == "prepare", call.arguments.count == 1 {
            checkLaterCalls()
        } else if let value = call.argument("encoding") {
            checkEncoding(value)
        } else {
            check(call.values, at: call.token)
        }
    }

    private mutating func add(_ text: String, at token: Int) {
        let place = Place(file: file, offset: file.tokens[token].range.lowerBound)
        messages.append(Message(.error, text, at: place))
    }

    private mutating func check(_ values: [Argument], at token: Int) {
        let isList = values.count == 1
        if isList, file[values[0].first] == "[" {
            return checkLiteral(values[0], at: token)
        }
        // A comma may also stand in a generic type, and a pack has any number of values.
        let isOpen = values.contains { value in
            value.range.contains { file[$0] == "<" || file[$0] == "repeat" }
        }
        // A name may be that of an array or a dictionary.
        let first = values.first?.first ?? 0
        let isOneLiteral =
            isList && values[0].range.count == 1
            && (file.kind(first) == .text || file.kind(first) == .number)
        if !isOpen, values.count != statement.parameters.count, !isList || isOneLiteral {
            addWrongCount(values.count, at: token)
        }
    }

    private mutating func addWrongCount(_ count: Int, at token: Int) {
        let parameters = statement.parameters.count.counted("parameter")
        add("the statement has \(parameters), but got \(count.counted("value"))", at: token)
    }

    // MARK: Arrays and dictionaries

    private mutating func checkLiteral(_ value: Argument, at token: Int) {
        let bracket = value.first
        guard file.next(bracket) == value.range.upperBound else { return }
        if file[bracket + 1] == ":" {
            return checkNames([], at: token)
        }
        let elements = file.arguments(bracket)
        let keys = elements.map { key(of: $0) }
        guard keys.contains(where: { $0.isKey }) else {
            let isOpen = elements.contains { $0.range.contains { file[$0] == "<" } }
            if !isOpen, elements.count != statement.parameters.count {
                addWrongCount(elements.count, at: token)
            }
            return
        }
        let names = zip(keys, elements).compactMap { key, element in
            key.name.map { (name: $0, token: element.first) }
        }
        if names.count == keys.count {
            checkNames(names, at: token)
        }
    }

    /// Whether an element has a key, and what it is if that is a literal or a constant.
    private func key(of element: Argument) -> (isKey: Bool, name: String?) {
        if element.label != nil {
            return (true, nil)
        }
        var index = element.first
        var questions = 0
        while index < element.range.upperBound {
            if file[index] == "?" {
                questions += 1
            } else if file[index] == ":" {
                guard questions == 0 else { return (false, nil) }
                return (true, evaluator.constant(element.first..<index, in: call.declarations))
            }
            index = file.next(index)
        }
        return (false, nil)
    }

    private mutating func checkNames(_ names: [(name: String, token: Int)], at token: Int) {
        let wanted = statement.parameterNames
        if wanted.count < statement.parameters.count {
            return add("the statement has parameters without names, but got names", at: token)
        }
        let given = names.map { name in
            (name: String(name.name.drop { ":@$?".contains($0) }), token: name.token)
        }
        for name in wanted where !given.contains(where: { $0.name == name }) {
            add("the parameter \"\(name)\" gets no value", at: token)
        }
        for (name, token) in given where !wanted.contains(name) {
            add("the statement has no parameter \"\(name)\", only \(wanted)", at: token)
        }
    }

    // MARK: Encoding

    private mutating func checkEncoding(_ value: Argument) {
        guard let type = type(of: value), type.head.keyword == "struct", !type.encodesItself,
            type.isA("Codable", "Encodable"), !type.properties.isEmpty
        else { return }
        let keys = type.properties.compactMap { type.key(of: $0) }
        for name in statement.parameterNames where !keys.contains(name) {
            let text = "the parameter \"\(name)\" gets no value: \(type.name) has no such property"
            add(text, at: call.token)
        }
    }

    private func type(of value: Argument) -> TypeDeclaration? {
        let token = value.first
        let isCall =
            file.isName(token) && file[token + 1] == "("
            && file.next(token + 1) == value.range.upperBound
        let written =
            isCall
            ? .named(file[token])
            : value.range.count == 1
                ? index.writtenType(of: file[token], in: call.declarations, at: token) : nil
        guard let name = written?.name else { return nil }
        return index.type(named: name, in: file, at: token)
    }

    // MARK: Statements that are prepared

    /// Checks the call of `bind` that follows, and the calls of a statement that is kept in a
    /// constant of the same block.
    private mutating func checkLaterCalls() {
        if file[call.end + 1] == ".", file[call.end + 2] == "bind" {
            return checkLaterCall(call.end + 2)
        }
        var before = file.chainStart(call.token) - 1
        while ["try", "await"].contains(file[before]) {
            before -= 1
        }
        let name = before - 1
        guard file[before] == "=", file.isName(name), file[name - 1] == "let" else {
            return
        }
        let block = file.parents[call.token]
        let end = block < 0 ? file.tokens.count : file.partners[block]
        for token in call.end..<end where file[token] == file[name] {
            let method = token + 2
            guard file.isName(token), file[token - 1] != ".", file[token + 1] == ".",
                ["bind", "run", "query", "forEachRow"].contains(file[method]),
                file[method + 1] == "(", !isHidden(file[name], at: token, in: block),
                !Expectation(call.declarations, index).isAround(method)
            else { continue }
            checkLaterCall(method)
        }
    }

    private mutating func checkLaterCall(_ method: Int) {
        let arguments = file.arguments(method + 1)
        let values = arguments.filter { file[$0.first] != "{" }
        if let value = values.first, value.label == "encoding" {
            checkEncoding(value)
        } else if !values.isEmpty, values.allSatisfy({ $0.label == nil }) {
            check(values, at: method)
        }
    }

    /// Whether a closure around the token has a parameter of this name, or a block another variable.
    private func isHidden(_ name: String, at token: Int, in block: Int) -> Bool {
        let inner = file.braces(around: token).prefix { $0 != block }
        return inner.contains { brace in
            call.declarations.blocks[brace]?.parameters[name] != nil
                || (call.declarations.variables[name] ?? []).contains { $0.scope == brace }
        }
    }
}

extension Int {
    /// `1 value` or `3 values`
    func counted(_ noun: String) -> String {
        "\(self) \(noun)\(self == 1 ? "" : "s")"
    }
}
