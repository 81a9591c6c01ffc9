extension Index {
    private static let expectations: Set = ["withKnownIssue", "Result", "expect"]

    /// Whether code expects an error: in a test that provokes it, or after `try?`.
    func expectsError(_ name: Cursor) -> Bool {
        isTried(name)
            || name.brackets.contains(where: isExpectation)
    }

    func isTried(_ name: Cursor) -> Bool {
        (name.chainStart.beforeTry - 1).reads("try", "?")
    }

    private func isExpectation(_ opening: Cursor) -> Bool {
        let name = opening.callee
        switch opening.block.kind {
        case .statement:
            return hasTests
                && opening.partner[1] == "catch"
        case .closure, .other:
            return isWrittenAsExpectation(opening)
                || hasTests
                    && (name == "Task" || catchesErrors(name, of: opening))
        default: return false
        }
    }

    /// Whether the call says so whose list of arguments or closure opens here. A list may be long,
    /// and hold many calls that ask.
    private func isWrittenAsExpectation(_ opening: Cursor) -> Bool {
        opening.file.remember(\.expectations, opening.index) {
            let name = opening.callee
            let arguments = name.callArguments
            let thrown = arguments["throws"]
            // `#expect(throws: …)`, and `#expect { … } throws: { … }`.
            return isTried(name)
                || Index.expectations.contains(name.text)
                || name.text.hasPrefix("XCTAssertThrowsError")
                || thrown.map { $0.start != "Never" } == true
                || arguments["processExitsWith"] != nil
                || opening.partner[1] == "throws"
        }
    }

    /// Whether a function that gets a closure may expect its errors. Of one that isn't declared in
    /// the sources, such as a helper of another package, that isn't known.
    private func catchesErrors(_ function: Cursor, of opening: Cursor) -> Bool {
        guard let bodies = functions[function.text] else {
            return opening.block.kind == .closure
                && function.isName
                && !function.isAccess
                && !Index.passingFunctions.contains(function.text)
        }
        if let known = catchingFunctions[function.text] {
            return known
        }
        // A function that calls itself finds this.
        catchingFunctions[function.text] = false
        let catches = bodies.contains { body in
            let parameters = Set(body.block.parameters.map(\.name.text))
            return body.content.contains { parameters.contains($0.text) && expectsError($0) }
        }
        catchingFunctions[function.text] = catches
        return catches
    }

    /// Functions that end with the errors of their closures.
    private static let passingFunctions = """
        Migration Test map flatMap compactMap forEach filter reduce first contains allSatisfy
        sorted query cursor forEachRow #expect #require confirmation withThrowingTaskGroup
        withTaskGroup addTask autoreleasepool onChanges values addFunction do else return in
        """.words
}
