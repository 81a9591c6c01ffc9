/// Finds out whether code expects an error: in a test that provokes it, or after `try?`.
struct Expectation {
    private let declarations: Declarations
    private let index: Index
    private var file: SourceFile { declarations.file }

    private static let words = ["error", "throw", "fail", "refus", "reject"]

    init(_ declarations: Declarations, _ index: Index) {
        self.declarations = declarations
        self.index = index
    }

    /// Whether the call of this name stands in such code.
    func isAround(_ token: Int) -> Bool {
        let start = file.chainStart(token)
        if file[start - 1] == "?", file[start - 2] == "try" {
            return true
        }
        var parent = file.parents[token]
        while parent >= 0 {
            if isExpectation(parent) {
                return true
            }
            parent = file.parents[parent]
        }
        return false
    }

    private func isExpectation(_ opening: Int) -> Bool {
        if file[opening] == "(" {
            let name = file[opening - 1]
            return name == "XCTAssertThrowsError" || catches(name)
        }
        guard file[opening] == "{" else { return false }
        let end = file.partners[opening] + 1
        if declarations.blocks[opening]?.kind == .statement {
            return index.hasTests && file[end] == "catch"
        }
        guard declarations.blocks[opening]?.kind == .closure else { return false }
        var name = opening - 1
        if file[name] == ")" {
            name = file.partners[name] - 1
            let label = file[name + 2]
            if ["#expect", "#require"].contains(file[name]),
                ["throws", "processExitsWith"].contains(label), file[name + 4] != "Never"
            {
                return true
            }
        }
        return catches(file[name])
    }

    /// Whether a function of the sources is called so because it expects an error, or has a `catch`.
    private func catches(_ name: String) -> Bool {
        guard index.hasTests, let functions = index.functions[name] else { return false }
        let lower = name.lowercased()
        return Expectation.words.contains(where: lower.contains)
            || functions.contains { file, body in
                file.content(of: body).contains { token in
                    file[token] == "catch"
                        || file[token] == "#expect"
                            && file[token + 2] == "throws"
                }
            }
    }
}
