extension Index {
    private static let errorWords = "error throw fail refus reject".words
    private static let expectations = "withKnownIssue Result XCTAssertThrowsError expect".words

    /// Whether code expects an error: in a test that provokes it, or after `try?`.
    func expectsError(_ name: Cursor) -> Bool {
        isTried(name)
            || name.brackets.contains(where: isExpectation)
    }

    private func isTried(_ name: Cursor) -> Bool {
        (name.chainStart.beforeTry - 1).reads("try", "?")
    }

    private func isExpectation(_ opening: Cursor) -> Bool {
        let name = opening.callee
        switch opening.block.kind {
        case .statement: return hasTests && opening.partner[1] == "catch"
        case .closure, .other:
            // `#expect(throws: …)`, and `#expect { … } throws: { … }`.
            return isTried(name)
                || Index.expectations.contains(name.text)
                || name[2] == "throws" && name[4] != "Never"
                || name[2] == "processExitsWith"
                || opening.partner[1] == "throws"
                || hasTests && name == "Task"
                || isNamedForErrors(name.text)
        default: return false
        }
    }

    /// Whether a function of the sources is called so because it expects an error, or has a
    /// `catch`.
    private func isNamedForErrors(_ function: String) -> Bool {
        hasTests
            && functions[function]?.contains { body in
                Index.errorWords.contains(where: function.lowercased().contains)
                    || body.content.contains {
                        $0 == "catch" || $0.reads("(", "throws")
                    }
            } == true
    }
}
