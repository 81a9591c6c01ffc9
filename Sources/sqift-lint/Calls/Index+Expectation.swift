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
            let isMacro = name == "#expect" || name == "#require"
            let isThrowing =
                name[2] == "throws"
                && name[4] != "Never"
            return isMacro && (isThrowing || name[2] == "processExitsWith")
                || isNamedForErrors(name.text)
        case nil where opening == "(":
            let function = opening[-1]
            return function == "XCTAssertThrowsError" || isNamedForErrors(function)
        default: return false
        }
    }

    /// Whether a function of the sources is called so because it expects an error, or has a
    /// `catch`.
    private func isNamedForErrors(_ function: String) -> Bool {
        guard hasTests, let bodies = functions[function] else { return false }
        let name = function.lowercased()
        return Index.errorWords.contains(where: name.contains)
            || bodies.contains { body in
                body.content.contains {
                    $0 == "catch" || $0.reads("#expect", "(", "throws")
                }
            }
    }
}
