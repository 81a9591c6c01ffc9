// The values of a call against the parameters of its statement.
extension CallCheck {
    mutating func checkArguments() {
        if let value = call.argument("encoding") {
            checkEncoding(value)
        } else if call.name != "prepare" || !call.arguments.isEmpty {
            check(call.values, of: call.name)
        }
    }

    private mutating func check(_ values: [Argument], of method: Cursor) {
        let isList = values.count == 1
        let first = values.first?.start
        if isList, let first, first == "[" {
            return checkLiteral(first, values[0].end, of: method)
        }
        // A name may be that of an array or a dictionary.
        let isLiteral =
            first?.kind == .text
            || first?.kind == .number
        if !isList || isLiteral && values[0].tokens.count == 1 {
            checkCount(of: values, of: method)
        }
    }

    private mutating func checkCount(of values: [Argument], of method: Cursor) {
        // A comma may also stand in a generic type, and a pack has any number of values.
        let isOpen = values.contains { value in
            value.tokens.contains {
                $0 == "<" || $0 == "repeat"
            }
        }
        let wanted = statement.parameters.count
        if !isOpen, values.count != wanted {
            let parameters = wanted.counted("parameter")
            let count = values.count.counted("value")
            add("the statement has \(parameters), but got \(count)", at: method)
        }
    }

    // MARK: Arrays and dictionaries

    private mutating func checkLiteral(_ bracket: Cursor, _ end: Cursor, of method: Cursor) {
        guard bracket.next == end else { return }
        let elements = bracket.arguments
        if bracket[1] == ":" {
            return checkNames([], of: method)
        }
        let colons = elements.map(colon)
        guard colons.contains(where: { $0 != nil }) else {
            return checkCount(of: elements, of: method)
        }
        let names = zip(elements, colons).compactMap { element, colon in
            let key = colon.map { Argument(element.start, $0) }
            return index.constant(key).map {
                ($0, element.start)
            }
        }
        if names.count == elements.count {
            checkNames(names, of: method)
        }
    }

    /// The colon after the key of a dictionary's element.
    private func colon(_ element: Argument) -> Cursor? {
        if element.label != nil {
            return element.start - 1
        }
        var cursor = element.start
        while cursor.index < element.end.index, cursor != "?" {
            if cursor == ":" {
                return cursor
            }
            cursor = cursor.next
        }
        return nil
    }

    private mutating func checkNames(
        _ names: [(name: String, key: Cursor)],
        of method: Cursor
    ) {
        let wanted = statement.parameterNames
        if wanted.count < statement.parameters.count {
            return add("the statement has parameters without names, but got names", at: method)
        }
        let given = names.map { String($0.name.drop { ":@$?".contains($0) }) }
        for name in wanted where !given.contains(name) {
            add("the parameter \"\(name)\" gets no value", at: method)
        }
        for (name, key) in zip(given, names.map(\.key)) where !wanted.contains(name) {
            add("the statement has no parameter \"\(name)\", only \(wanted)", at: key)
        }
    }

    // MARK: Encoding

    private mutating func checkEncoding(_ value: Argument) {
        guard let type = type(of: value),
            type.keyword == "struct",
            !type.codesItself,
            type.isA("Codable", "Encodable"), !type.properties.isEmpty
        else { return }
        let keys = type.properties.compactMap {
            type.key(of: $0)
        }
        for name in statement.parameterNames where !keys.contains(name) {
            add("the parameter \"\(name)\" gets no value: \(type.name) has no such property")
        }
    }

    private func type(of value: Argument) -> TypeDeclaration? {
        let start = value.start
        let isCall =
            start[1] == "("
            && (start + 1).next == value.end
        let written =
            start + 1 == value.end
            ? index.writtenType(of: start)?.name
            : nil
        let name = isCall ? start.text : written
        return name.flatMap {
            index.type(named: $0, at: start)
        }
    }
}
