/// A type of the sources with its extensions.
final class TypeDeclaration {
    let name: String
    let head: TypeHead
    let file: SourceFile
    fileprivate(set) var conformances: Set<String> = []
    fileprivate(set) var properties: [Property] = []
    /// The keys of a `CodingKeys` that is only a list, by property.
    fileprivate(set) var codingKeys: [String: String]?
    /// Whether the type codes itself in a way that isn't looked into.
    fileprivate(set) var decodesItself = false
    fileprivate(set) var encodesItself = false
    fileprivate(set) var columnNamesAreSnakeCase = false
    /// The body of `init(row:)`, if there is one, and the parameter's name in it.
    fileprivate(set) var rowInitializer: (file: SourceFile, body: Int, row: String)?

    struct Property {
        let name: String
        let type: TypeSyntax
        /// Whether decoding assigns it.
        let isDecoded: Bool
    }

    init(_ head: TypeHead, in file: SourceFile) {
        name = head.name.split(separator: ".").last.map(String.init) ?? head.name
        self.head = head
        self.file = file
    }

    func isA(_ protocols: String...) -> Bool {
        protocols.contains { conformances.contains($0) }
    }

    /// The type of an enumeration's raw values, if one is written.
    var rawType: String? {
        head.keyword == "enum" ? head.conformances.first : nil
    }

    /// The key of a property when it is coded, or nil if it isn't.
    func key(of property: Property) -> String? {
        codingKeys.map { $0[property.name] } ?? property.name
    }
}

extension TypeDeclaration {
    /// Takes in what the body of the type or of one of its extensions declares.
    func add(_ head: TypeHead, of declarations: Declarations) {
        let file = declarations.file
        conformances.formUnion(head.conformances)
        for (brace, block) in declarations.blocks where file.parents[brace] == head.body {
            switch block.functionName {
            case "init": addInitializer(block, brace, of: declarations)
            case "encode": encodesItself = true
            case "columnNamesAreSnakeCase":
                columnNamesAreSnakeCase = file[brace + 1] == "true"
            default: break
            }
        }
        for keys in declarations.types where keys.name == "CodingKeys" {
            if file.parents[keys.token] == head.body {
                addCodingKeys(keys, of: file)
            }
        }
        for variables in declarations.variables.values {
            for variable in variables where variable.scope == head.body {
                add(variable, of: file, isExtension: head.keyword == "extension")
            }
        }
        // The order of the keys in a dictionary is another each time.
        properties.sort { $0.name < $1.name }
    }

    private func addInitializer(_ block: Block, _ brace: Int, of declarations: Declarations) {
        let file = declarations.file
        var opening = brace
        while opening > 0, file[opening] != "init" {
            opening -= 1
        }
        let label = file[opening + 2]
        if label == "row" || block.parameters.values.contains(.named("Row")) {
            let row = file.isName(opening + 3) ? file[opening + 3] : label
            rowInitializer = (file, brace, row)
        } else if label == "from" {
            decodesItself = true
        }
    }

    private func addCodingKeys(_ keys: TypeHead, of file: SourceFile) {
        var names: [String: String] = [:]
        var index = keys.body + 1
        while index < file.partners[keys.body] {
            guard file[index] == "case" || file[index] == "," else {
                // A computed key, or what isn't a list.
                decodesItself = true
                encodesItself = true
                return
            }
            let name = file[index + 1]
            names[name] = name
            index += 2
            if file[index] == "=" {
                names[name] = file.plainText(index + 1)
                index += 2
            }
        }
        codingKeys = names
    }

    private func add(_ variable: Variable, of file: SourceFile, isExtension: Bool) {
        if variable.name == "columnNamesAreSnakeCase", variable.hasDefault {
            columnNamesAreSnakeCase = file[variable.value ?? variable.token + 2] != "false"
        }
        guard !variable.isStatic, !variable.isComputed, !isExtension else { return }
        let hasOwnValue = variable.hasDefault && variable.isConstant
        properties.append(
            Property(
                name: variable.name,
                type: variable.hasWrapper ? .other : variable.type ?? .other,
                isDecoded: !hasOwnValue
            )
        )
    }
}
