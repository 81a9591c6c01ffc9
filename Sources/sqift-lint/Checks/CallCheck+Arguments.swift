// The values of a call against the parameters of its statement.
extension CallCheck {
    mutating func checkArguments() {
        let values = call.values
        if let value = call.arguments["encoding"] {
            checkEncoding(value)
        } else if values.count == 1 {
            checkValue(values[0])
        } else if call.name != "prepare" || !values.isEmpty {
            checkCount(of: values)
        }
    }

    /// A value alone may be an array or a dictionary, and so may what has a name.
    private mutating func checkValue(_ value: Argument) {
        let start = value.start
        guard start.next == value.end else { return }
        let isOne =
            [.text, .number].contains(start.kind)
            || CallCheck.scalars.contains(index.writtenType(of: start)?.text ?? "")
        if start == "[" {
            checkElements(of: start)
        } else if isOne {
            checkCount(of: [value])
        }
    }

    private mutating func checkCount(of values: [Argument]) {
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
            add("the statement has \(parameters), but got \(count)")
        }
    }

    private mutating func checkElements(of bracket: Cursor) {
        guard bracket[1] != ":" else {
            return checkNames([])
        }
        let elements = bracket.arguments
        let sign = elements.first?.start.first(":", "?", ",")
        guard sign?.text == ":" || elements.first?.label != nil else {
            return checkCount(of: elements)
        }
        let names = elements.compactMap { element in
            let colon = element.start.first(":")
            let key = colon == ":" ? index.constant(Argument(element.start, colon)) : nil
            return key.map {
                (String($0.drop { ":@$?".contains($0) }), element.start)
            }
        }
        if names.count == elements.count {
            checkNames(names)
        }
    }

    private mutating func checkNames(_ names: [(name: String, key: Cursor)]) {
        let wanted = statement.parameterNames
        if wanted.count < statement.parameters.count {
            return add("the statement has parameters without names, but got names")
        }
        for name in wanted where !names.map(\.name).contains(name) {
            add("the parameter \"\(name)\" gets no value")
        }
        // A script may leave values over.
        guard call.takesOneStatement else { return }
        for (name, key) in names where !wanted.contains(name) {
            add("the statement has no parameter \"\(name)\", only \(wanted)", at: key.location)
        }
    }

    // MARK: Encoding

    private mutating func checkEncoding(_ value: Argument) {
        let start = value.start
        let name =
            start + 1 == value.end
            ? index.writtenType(of: start)
            : start.madeType?.typeName
        guard start.operandEnd == value.end,
            let type = index.type(name),
            type.block.keyword == "struct",
            !index.holds(\.codesItself, for: type),
            type.isA("Codable", "Encodable"), !type.properties.isEmpty
        else { return }
        let keys = type.properties.compactMap {
            type.key(of: $0)
        }
        for name in statement.parameterNames where !keys.contains(name) {
            add("the parameter \"\(name)\" gets no value: \(type.block.name) has no such property")
        }
    }
}
