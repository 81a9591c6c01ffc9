/// What a method is called on.
enum Receiver {
    /// A value of the type with this name.
    case type(String)
    /// Nothing that has SQift's methods: it is a function, or an own method.
    case none
    /// A value whose type isn't written in the sources.
    case unknown
}

extension Index {
    func receiver(of method: Cursor) -> Receiver {
        guard method[-1] == "." else {
            return method.typeNames.first(where: Index.types.contains).map(Receiver.type) ?? .none
        }
        let start = method.chainStart
        // An enumeration's case such as `.run(…)` has none.
        guard start.isName || start.kind == .opening, start.index < method.index - 1 else {
            return .none
        }
        if let type = typeName(of: start, to: method - 1) {
            return .type(type)
        }
        // What no source declares is called so in code that is a part of a program.
        let name = method - 2
        let isConnection =
            name.text.lowercased().hasSuffix("connection")
            && method.hasDirectReceiver
            && variable(name) == nil
            && method.file.imports.contains("SQift")
        return isConnection ? .type("Connection") : .unknown
    }

    /// Whether a type is SQift's own, or made of one by inheritance.
    func isOfSQift(_ type: String) -> Bool {
        guard let own = self.type(named: type) else {
            return Index.types.contains(type) && types[type] == nil
        }
        return own.conformances.contains { $0 == "Connection" }
    }
}
