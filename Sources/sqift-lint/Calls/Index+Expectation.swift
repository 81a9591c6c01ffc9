extension Index {
    private static let errorWords = "error throw fail refus reject".words

    /// Whether code expects an error: in a test that provokes it, or after `try?`.
    func expectsError(_ name: Cursor) -> Bool {
        let start = name.chainStart
        return start[-1] == "?"
            && start[-2] == "try"
            || name.brackets.contains(where: isExpectation)
    }

    private func isExpectation(_ opening: Cursor) -> Bool {
        let name = opening.callee
        switch opening.block?.kind {
        case .statement: return hasTests && opening.partner[1] == "catch"
        case .closure:
            // `#expect { … } throws: { … }`
            return opening.partner[1] == "throws"
                || ["withKnownIssue", "Result"].contains(name.text)
                || expects(name + 1)
                || isNamedForErrors(name.text)
        case nil where opening == "(":
            let function = opening[-1]
            return function == "XCTAssertThrowsError"
                || expects(opening)
                || isNamedForErrors(function)
        default: return false
        }
    }

    /// Whether the arguments are those of a macro that expects an error.
    private func expects(_ opening: Cursor) -> Bool {
        ["#expect", "#require"].contains(opening[-1])
            && (opening[1] == "throws" && opening[3] != "Never" || opening[1] == "processExitsWith")
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
                    $0 == "catch" || $0.reads("#expect", "(", "throws")
                }
            }
    }
}
