import SQiftTestSupport
import Testing

/// Each folder of the library refers only to the folders before it.
struct LayerTests {
    private static let layers = [
        "Support", "Core", "Values", "Query", "SQLite", "Backup", "Migration", "Concurrency",
        "Database", "Observation", "SQift5",
    ]

    /// Names that a later folder declares, and that are the system's or a generic parameter's in
    /// an earlier one.
    private static let exceptions: Set = [
        "isEmpty", "withUnsafeBytes", "Value", "Element", "intValue", "userInfo",
        "formUnion",
    ]

    @Test func everyFileIsInALayer() throws {
        for file in try SourceFile.library() {
            let isInLayer = file.layer.map(Self.layers.contains) ?? false
            #expect(isInLayer, "\(file.path):1")
        }
    }

    @Test func noFolderRefersToALaterOne() throws {
        let files = try SourceFile.library()
        let owners = self.owners(of: files)
        for file in files {
            guard let layer = file.layer, let position = Self.layers.firstIndex(of: layer) else {
                continue
            }
            // A parameter or a variable may have the name of a member of a later folder.
            let ownNames = DeclaredNames(in: file).anywhere
            for token in file.tokens where token.isName {
                guard let owner = owners[token.text],
                    owner.isType || !ownNames.contains(token.text),
                    let ownerPosition = Self.layers.firstIndex(of: owner.layer),
                    ownerPosition > position
                else { continue }
                Issue.record("\(token.text) of \(owner.layer) in \(file.path):\(token.line)")
            }
        }
    }

    private struct Owner {
        let layer: String
        let isType: Bool
    }

    /// The folder of each name that only one folder declares: all types, and the members whose
    /// name has more than one word. A name of one word may as well be the system's.
    private func owners(of files: [SourceFile]) -> [String: Owner] {
        var layers: [String: Set<String>] = [:]
        var types: Set<String> = []
        for file in files {
            guard let layer = file.layer else { continue }
            let names = DeclaredNames(in: file)
            let longNames = names.members.filter { $0.contains(where: \.isUppercase) }
            types.formUnion(names.types)
            for name in names.types.union(longNames) {
                layers[name, default: []].insert(layer)
            }
        }
        var owners: [String: Owner] = [:]
        for (name, layers) in layers where !Self.exceptions.contains(name) {
            guard layers.count == 1, let layer = layers.first else { continue }
            owners[name] = Owner(layer: layer, isType: types.contains(name))
        }
        return owners
    }
}
