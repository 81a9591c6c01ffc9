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
            let type = method.typeNames.first
            return type.map { Index.types.contains($0) ? .type($0) : .none } ?? .none
        }
        let start = method.chainStart
        // An enumeration's case such as `.run(…)` has none.
        guard start.isName || start.kind == .opening,
            start.index < method.index - 1
        else {
            return .none
        }
        if let type = typeName(of: start, to: method - 1) {
            return .type(type)
        }
        // What no source declares is called so in code that is a part of a program.
        let name = method - 2
        let isConnection =
            name == "connection"
            && method.hasDirectReceiver
            && variable(name) == nil
            && method.file.imports.contains("SQift")
        return isConnection
            ? .type("Connection")
            : .unknown
    }

    /// Whether what a type's name means at a token is SQift's own, or made of one by inheritance.
    func isOfSQift(_ name: String, at cursor: Cursor) -> Bool {
        let own = (types[name] ?? []).filter { type in
            // A type in another one is meant only there.
            let outer = type.bodies[0].typeNames.first
            return outer.map(cursor.typeNames.contains) ?? true
        }
        return own.isEmpty
            ? Index.types.contains(name)
            : own.allSatisfy { type in type.conformances.contains { $0 == "Connection" } }
    }
}
