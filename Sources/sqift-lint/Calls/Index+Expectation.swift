extension Index {
    private static let errorWords = "error throw fail refus reject".words
    private static let expectations = "withKnownIssue Result XCTAssertThrowsError".words

    /// Whether code expects an error: in a test that provokes it, or after `try?`.
    func expectsError(_ name: Cursor) -> Bool {
        (name.chainStart - 2).reads("try", "?")
            || name.brackets.contains(where: isExpectation)
    }

    private func isExpectation(_ opening: Cursor) -> Bool {
        let name = opening.callee
        switch opening.block?.kind {
        case .statement: return hasTests && opening.partner[1] == "catch"
        case .closure, nil:
            // `#expect(throws: …)`, and `#expect { … } throws: { … }`.
            return Index.expectations.contains(name.text)
                || name[2] == "throws" && name[4] != "Never"
                || name[2] == "processExitsWith"
                || opening.partner[1] == "throws"
                || isNamedForErrors(name.text)
        default: return false
        }
    }

    /// Whether a function of the sources is called so because it expects an error, or has a
    /// `catch`.
    private func isNamedForErrors(_ function: String) -> Bool {
        guard hasTests,
            let bodies = functions[function]
        else { return false }
        let name = function.lowercased()
        return Index.errorWords.contains(where: name.contains)
            || bodies.contains { body in
                body.content.contains {
                    $0 == "catch" || $0.reads("(", "throws")
                }
            }
    }
}
