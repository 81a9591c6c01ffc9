/// A type of the sources with its extensions, and with the protocols that it conforms to.
final class TypeDeclaration {
    /// The braces of its body, of its extensions and of its protocols.
    var bodies: [Cursor]

    private lazy var variables = bodies.flatMap { body in
        body.file.variables.values
            .joined()
            .filter { $0.scope == body }
    }
    /// The tokens of its members, without those in brackets.
    private lazy var members = bodies.flatMap { body in
        body.content.filter { $0.parent == body }
    }

    init(_ body: Cursor) {
        bodies = [body]
    }

    /// What its declaration says.
    var block: Block { bodies[0].block }

    var conformances: [Cursor] {
        bodies.flatMap(\.block.conformances)
    }

    var properties: [Variable] {
        variables.filter(\.isStored)
    }

    /// The variable of this name, unless there are several. A protocol may name one of the type's.
    func variable(named name: String) -> Variable? {
        let all = variables.filter { $0.name == name }
        let own = all.filter { $0.scope == bodies[0] }
        return own.only ?? all.only
    }

    /// Whether it has a variable or an alias of this name.
    func declares(_ name: String) -> Bool {
        variables.contains { $0.name == name }
    }

    /// Whether it is an enumeration with a case of this name.
    func hasCase(_ name: String) -> Bool {
        block.keyword == "enum"
            && members.contains { member in
                let wordBefore = member[-1]
                return member == name && (wordBefore == "case" || wordBefore == ",")
            }
    }

    func isA(_ protocols: String...) -> Bool {
        conformances.contains { protocols.contains($0.text) }
    }

    /// The body of `init(row:)`, if there is one.
    var rowInitializer: Cursor? {
        members.first { $0.reads("init", "(", "row", ":", "Row", ")") }?.first("{")
    }

    private var codingKeys: [Cursor]? {
        members.first { $0.block.name == "CodingKeys" }?.content
    }

    /// Whether the type codes itself in a way that isn't looked into, such as with computed keys.
    var codesItself: Bool {
        codingKeys?.contains { $0.kind == .opening } == true
            || isA("CodableBinding")
            || declares("CodingKeys")
            || members.contains {
                $0.reads("init", "(", "from")
                    || ["encode", "decode", "fromBindingValue"].contains($0.block.name)
            }
    }

    /// The key of a property when it is coded, or nil if it isn't.
    func key(of property: Variable) -> String? {
        let name = property.name.text
        guard let codingKeys else { return name }
        let key = codingKeys.first { $0 == name }
        return key.flatMap {
            $0[1] == "="
                ? ($0 + 2).literalText
                : name
        }
    }
}
