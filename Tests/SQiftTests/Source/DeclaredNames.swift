/// The names that a file declares.
struct DeclaredNames {
    private(set) var types: Set<String> = []
    /// Types, whether they are declared, extended or conformed to here.
    private(set) var typesAndExtensions: Set<String> = []
    /// Functions, properties and cases of types and of the file.
    private(set) var members: Set<String> = []
    /// These and the variables, labels and parameters.
    private(set) var anywhere: Set<String> = []

    /// What a `{` begins.
    private enum Scope {
        case type
        case body
    }

    private static let typeKeywords: Set = [
        "actor", "class", "enum", "protocol", "struct",
    ]

    init(in file: SourceFile) {
        var scopes: [Scope] = []
        var next = Scope.body
        let tokens = file.tokens
        for (index, token) in tokens.enumerated() {
            let previous = index > 0 ? tokens[index - 1].text : ""
            let following = index + 1 < tokens.count ? tokens[index + 1] : nil
            let name = following?.isName == true ? following?.text ?? "" : ""
            switch token.text {
            case "{":
                scopes.append(next)
                next = .body
            case "}":
                _ = scopes.popLast()
            case "extension":
                let header = tokens[(index + 1)...].prefix { $0.text != "{" && $0.text != "where" }
                typesAndExtensions.formUnion(header.lazy.filter(\.isName).map(\.text))
                next = .type
            case "typealias", "associatedtype":
                types.insert(name)
            case let keyword where Self.typeKeywords.contains(keyword) && previous != ".":
                // `class func` declares no type.
                guard !["func", "var", "let"].contains(name), !name.isEmpty else { continue }
                types.insert(name)
                next = .type
            case "func", "var", "let", "case":
                anywhere.insert(name)
                if scopes.last == .type || scopes.isEmpty {
                    members.insert(name)
                }
            case ":" where previous != "?":
                anywhere.insert(previous)
            default:
                break
            }
        }
        typesAndExtensions.formUnion(types)
        anywhere.formUnion(types)
    }
}
