/// Which files refer to which, by the names that only one of them declares: all types, and the
/// members whose name has more than one word. A name of one word may as well be the system's.
struct FileReferences {
    /// The files that a file refers to, by their paths.
    private(set) var references: [String: Set<String>] = [:]

    init(among files: [SourceFile]) {
        let declared = Dictionary(
            uniqueKeysWithValues: files.map { ($0.path, DeclaredNames(in: $0)) }
        )
        var owners: [String: Set<String>] = [:]
        for (path, names) in declared {
            let longNames = names.members.filter { $0.contains(where: \.isUppercase) }
            for name in names.types.union(longNames) {
                owners[name, default: []].insert(path)
            }
        }
        for file in files {
            // A parameter or a variable may have the name of another file's member.
            let ownNames = declared[file.path]?.anywhere ?? []
            let owned = Self.names(in: file).compactMap { name -> String? in
                guard let owners = owners[name], owners.count == 1, let owner = owners.first else {
                    return nil
                }
                let isType = declared[owner]?.types.contains(name) ?? false
                return isType || !ownNames.contains(name) ? owner : nil
            }
            references[file.path] = Set(owned).subtracting([file.path])
        }
    }

    /// The names that a file mentions. An extension may add to a type without knowing it, and so
    /// may the path to a nested type.
    private static func names(in file: SourceFile) -> Set<String> {
        let tokens = file.tokens
        var names: Set<String> = []
        for (index, token) in tokens.enumerated() where token.isName {
            let isExtended = index > 0 && tokens[index - 1].text == "extension"
            let next = tokens[(index + 1)...].prefix(2).map(\.text)
            let isOfNestedType =
                token.text.isCapitalized && next.first == "." && next.last?.isCapitalized == true
            if !isExtended, !isOfNestedType {
                names.insert(token.text)
            }
        }
        return names
    }

    /// The largest set of files each of which refers to all others of it, directly or not.
    var largestCycle: [String] {
        let reachable = references.keys.reduce(into: [String: Set<String>]()) { reachable, path in
            reachable[path] = self.reachable(from: path)
        }
        let cycles = reachable.keys.map { path in
            reachable.keys.filter { other in
                reachable[path]?.contains(other) == true && reachable[other]?.contains(path) == true
            }
        }
        return cycles.max { $0.count < $1.count }?.sorted() ?? []
    }

    private func reachable(from path: String) -> Set<String> {
        var found: Set<String> = []
        var open = references[path] ?? []
        while let next = open.popFirst() {
            if found.insert(next).inserted {
                open.formUnion(references[next] ?? [])
            }
        }
        return found
    }
}

extension String {
    fileprivate var isCapitalized: Bool { first?.isUppercase == true }
}
