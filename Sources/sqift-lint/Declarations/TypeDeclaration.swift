/// A type of the sources with its extensions.
final class TypeDeclaration {
    let name: String
    /// `struct`, `class` and so on.
    let keyword: String
    /// The brace of its body.
    let body: Cursor
    private var conformances: [String] = []
    private(set) var properties: [Variable] = []
    /// The keys of a `CodingKeys` that is only a list, by property.
    private var codingKeys: [String: String]?
    /// Whether the type codes itself in a way that isn't looked into.
    private(set) var codesItself = false
    private(set) var columnNamesAreSnakeCase = false
    /// The body of `init(row:)`, if there is one, and the parameter's name in it.
    private(set) var rowInitializer: (body: Cursor, row: String)?

    init(_ block: Block, _ body: Cursor) {
        name = block.name
        keyword = block.keyword
        self.body = body
        add(block, body)
    }

    /// The type of an enumeration's raw values, if one is written.
    var rawType: String? {
        keyword == "enum" ? conformances.first : nil
    }

    func isA(_ protocols: String...) -> Bool {
        protocols.contains(where: conformances.contains)
    }

    /// The key of a property when it is coded, or nil if it isn't.
    func key(of property: Variable) -> String? {
        let name = property.name.text
        return codingKeys.map { $0[name] } ?? name
    }

    /// Takes in what the body of the type or of one of its extensions declares.
    func add(_ block: Block, _ body: Cursor) {
        conformances += block.conformances
        for (index, block) in body.file.blocks where body.file[index].parent == body {
            add(member: block, body.file[index])
        }
        for variable in body.file.variables.values.joined() where variable.scope == body {
            if variable.name == "columnNamesAreSnakeCase" {
                columnNamesAreSnakeCase = true
            }
            if variable.isStored {
                properties.append(variable)
            }
        }
    }

    private func add(member: Block, _ brace: Cursor) {
        switch member.name {
        case "init":
            for (name, type) in member.parameters where type == .named("Row") {
                rowInitializer = (brace, name)
            }
            codesItself = codesItself || member.parameters.values.contains(.named("Decoder"))
        case "encode": codesItself = true
        case "CodingKeys":
            let cases = brace.content.filter { $0.isName && $0 != "case" }
            codingKeys = cases.reduce(into: [:]) { keys, key in
                let isWritten = key[1] == "="
                keys[key.text] =
                    isWritten
                    ? (key + 2).plainText
                    : key.text
            }
            // A computed key.
            codesItself = codesItself || brace.content.contains { $0.kind == .opening }
        default: break
        }
    }
}
