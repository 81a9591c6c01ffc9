/// A type of the sources with its extensions.
final class TypeDeclaration {
    let name: String
    /// `struct`, `class` and so on.
    let keyword: String
    /// The brace of its body.
    let body: Cursor
    /// The type of an enumeration's raw values, if one is written.
    let rawType: String?
    private(set) var conformances: Set<String> = []
    private(set) var properties: [Variable] = []
    /// The keys of a `CodingKeys` that is only a list, by property.
    private var codingKeys: [String: String]?
    /// Whether the type codes itself in a way that isn't looked into.
    private(set) var decodesItself = false
    private(set) var encodesItself = false
    private(set) var columnNamesAreSnakeCase = false
    /// The body of `init(row:)`, if there is one, and the parameter's name in it.
    private(set) var rowInitializer: (body: Cursor, row: String)?

    init(_ block: Block, _ body: Cursor) {
        name = block.name
        keyword = block.keyword
        self.body = body
        rawType = keyword == "enum" ? block.conformances.first : nil
        add(block, body)
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
        conformances.formUnion(block.conformances)
        for (index, block) in body.file.blocks {
            let brace = body.file[index]
            guard brace.parent == body else { continue }
            switch block.name {
            case "init": addInitializer(block, brace)
            case "encode": encodesItself = true
            case "columnNamesAreSnakeCase": columnNamesAreSnakeCase = brace[1] == "true"
            case "CodingKeys": addCodingKeys(brace)
            default: break
            }
        }
        for variable in body.file.variables.values.joined() where variable.scope == body {
            add(variable, isExtension: block.keyword == "extension")
        }
    }

    private func addInitializer(_ block: Block, _ brace: Cursor) {
        var keyword = brace
        while keyword.index > 0, keyword != "init" {
            keyword -= 1
        }
        let label = keyword[2]
        if label == "row"
            || block.parameters.values.contains(.named("Row"))
        {
            rowInitializer = (brace, (keyword + 3).isName ? keyword[3] : label)
        } else if label == "from" {
            decodesItself = true
        }
    }

    private func addCodingKeys(_ brace: Cursor) {
        var names: [String: String] = [:]
        var cursor = brace + 1
        while cursor != brace.partner {
            guard cursor == "case" || cursor == "," else {
                // A computed key, or what isn't a list.
                decodesItself = true
                encodesItself = true
                return
            }
            let name = cursor[1]
            names[name] = name
            cursor += 2
            if cursor == "=" {
                names[name] = (cursor + 1).plainText
                cursor += 2
            }
        }
        codingKeys = names
    }

    private func add(_ variable: Variable, isExtension: Bool) {
        if variable.name == "columnNamesAreSnakeCase", let value = variable.value {
            columnNamesAreSnakeCase = value != "false"
        }
        if !variable.isStatic, !variable.isComputed, !isExtension {
            properties.append(variable)
        }
    }
}
