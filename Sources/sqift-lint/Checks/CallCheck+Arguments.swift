// The values of a call against the parameters of its statement.
extension CallCheck {
    mutating func checkArguments() {
        var values = call.values
        if let value = call.arguments["encoding"] {
            return checkEncoding(value)
        }
        if let value = values.only {
            if let list = index.list(value) {
                values = list.arguments
                if (list + 1).first(":", "?") == ":" {
                    return checkNames(values)
                }
            } else if !isOneValue(value) {
                return
            }
        }
        // A statement gets its values later. A comma may also stand in a generic type, and a pack
        // has any number of values.
        let isOpen =
            call.name == "prepare" && values.isEmpty
            || values.flatMap { $0.start..<$0.end }
                .contains { $0 == "<" || $0 == "repeat" }
        if !isOpen,
            values.count != parameters.count
        {
            let wanted = parameters.count.counted("parameter")
            let given = values.count.counted("value")
            add("the statement has \(wanted), but got \(given)")
        }
    }

    /// SQift's types that are one value.
    private static let bindings =
        "ArrayBinding SetBinding DictionaryBinding CodableBinding BindingValue".words

    /// Whether an argument is known to be one value. What has a name may be an array or a
    /// dictionary.
    private func isOneValue(_ argument: Argument) -> Bool {
        let start = argument.start
        let isNumber =
            start == "-"
            && (start + 1).kind == .number
        if start + (isNumber ? 2 : 1) == argument.end,
            isNumber || ["nil", "true", "false"].contains(start.text)
        {
            return true
        }
        guard let type = index.typeName(of: start, to: argument.end) else { return false }
        let isList = type == "["
        return !isList && StorageClass.readable[type] != nil && !index.declaresType(type)
            || CallCheck.bindings.contains(type)
            || index.type(named: type) != nil
    }

    private mutating func checkNames(_ entries: [Argument]) {
        // An empty dictionary has a colon instead of elements.
        let elements = entries.filter { $0.start != ":" }
        let names = elements.compactMap { element in
            let colon = element.start.first(":")
            let key =
                colon == ":"
                ? index.constant(Argument(element.start, colon))
                : nil
            return key.map {
                (name: String($0.drop { ":@$?".contains($0) }), key: element.start)
            }
        }
        guard names.count == elements.count else { return }
        checkGiven(names.map(\.name))
        // A script may leave values over.
        guard call.takesOneStatement,
            !parameters.contains("")
        else { return }
        for (name, key) in names where !parameters.contains(where: name.hasSameBytes) {
            add("the statement has no parameter \"\(name)\", only \(parameters)", at: key.location)
        }
    }

    /// Checks whether each parameter gets a value by its name.
    private mutating func checkGiven(_ names: [String], _ reason: String = "") {
        if parameters.contains("") {
            return add("the statement has parameters without names, but got names")
        }
        for name in parameters where !names.contains(where: name.hasSameBytes) {
            add("the parameter \"\(name)\" gets no value\(reason)")
        }
    }

    // MARK: Encoding

    private mutating func checkEncoding(_ value: Argument) {
        guard let name = index.typeName(of: value.start, to: value.end),
            let type = index.type(named: name),
            type.block.keyword == "struct",
            !type.codesItself,
            type.isA("Codable", "Encodable"),
            !type.properties.isEmpty
        else { return }
        let keys = type.properties.compactMap(type.key)
        let snakeCaseNames = parameters.filter { parameter in
            keys.contains { $0.lowercased() == parameter.filter { $0 != "_" }.lowercased() }
        }
        let mayBeSnakeCase = type.declares("columnNamesAreSnakeCase")
        let names = keys + (mayBeSnakeCase ? snakeCaseNames : [])
        checkGiven(names, ": \(type.block.name) has no such property")
    }
}

extension String {
    /// Equal as SQLite sees it: "é" can be written in two ways, which are two names.
    fileprivate func hasSameBytes(as other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
