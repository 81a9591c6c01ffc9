/// Checks what a compiled statement gets and returns against the code around it.
struct StatementCheck {
    let call: Call
    let statement: CompiledStatement
    let schema: Schema
    let sources: Sources
    private(set) var messages: [Message] = []
    var index: Index { sources.index }

    /// The names of the columns, in lower case.
    var names: [String] {
        statement.columns.map { $0.name.lowercased() }
    }

    mutating func add(
        _ text: String,
        at cursor: Cursor? = nil,
        _ severity: Message.Severity = .error
    ) {
        let location = (cursor ?? call.name).location
        messages.append(Message(severity, text, at: location))
    }

    /// A reader's connection refuses to write.
    mutating func checkWriteInRead() {
        guard !statement.isReadOnly,
            !SQLWord.connectionVerbs.contains(call.words.verb),
            call.isDirect
        else { return }
        let body = call.name.braces.first { brace in
            brace.block?.kind == .closure
                || brace.block?.kind == .function
        }
        guard let body,
            body[-1] == "read",
            body[-2] == ".",
            let block = body.block
        else {
            return
        }
        let receiver = call.name[-2]
        if receiver == "$0" || block.parameters[receiver] != nil {
            add("this statement writes, which read refuses; use write")
        }
    }
}
