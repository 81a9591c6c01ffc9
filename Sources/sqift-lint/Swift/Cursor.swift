/// A token of a file, from which those around it are found. Those outside the file are empty.
struct Cursor: Equatable {
    let file: SourceFile
    let index: Int

    private var token: Token {
        index >= 0 && index < file.tokens.count
            ? file.tokens[index]
            : Token(kind: .outside)
    }

    var text: String { token.text }
    var kind: Token.Kind { token.kind }
    var isName: Bool { kind == .name }
    var startsLine: Bool { token.startsLine }
    var literal: Literal? { token.literal }
    var block: Block { file.blocks[index] ?? Block() }
    var location: Location {
        Location(file: file, offset: token.offset)
    }
    var line: Int {
        file.position(of: token.offset).line
    }

    /// The text of the token at a distance.
    subscript(_ distance: Int) -> String {
        (self + distance).text
    }

    static func + (cursor: Cursor, distance: Int) -> Cursor {
        Cursor(file: cursor.file, index: cursor.index + distance)
    }

    static func - (cursor: Cursor, distance: Int) -> Cursor {
        cursor + -distance
    }

    static func == (cursor: Cursor, text: String) -> Bool {
        cursor.text == text
    }

    static func != (cursor: Cursor, text: String) -> Bool {
        cursor.text != text
    }

    /// The tokens from one to another.
    static func ..< (start: Cursor, end: Cursor) -> [Cursor] {
        var tokens: [Cursor] = []
        var cursor = start
        while cursor.index < end.index {
            tokens.append(cursor)
            cursor = cursor + 1
        }
        return tokens
    }

    /// Whether these tokens begin here.
    func reads(_ texts: String...) -> Bool {
        texts.indices.allSatisfy {
            self[$0] == texts[$0]
        }
    }

    /// The literal's text, which is computed if it has interpolations.
    var literalText: String? {
        literal?.map { $0.byte }.text
    }

    /// Whether an expression ends before this token.
    var endsExpression: Bool {
        text == ";"
            || kind == .closing
            || startsLine && kind != .sign
    }

    // MARK: Brackets

    /// For a bracket the one that belongs to it, and the token itself for another.
    var partner: Cursor { file[token.partner ?? index] }

    /// The bracket around it, which is outside of the file if there is none.
    var parent: Cursor { file[token.parent] }

    /// After the token, or after the bracket that it opens.
    var next: Cursor {
        (kind == .opening ? partner : self) + 1
    }

    /// The tokens between an opening bracket and its partner.
    var content: [Cursor] {
        self + 1..<partner
    }

    /// The brackets around it, innermost first.
    var brackets: [Cursor] {
        sequence(first: parent) { $0.parent }
            .prefix { $0.kind == .opening }
    }

    var braces: [Cursor] {
        brackets.filter { $0 == "{" }
    }

    /// Whether it comes after a variable's name, and in the same branch of the block around that.
    func follows(_ variable: Variable) -> Bool {
        let start = variable.name.index
        return start < index
            && !file.branches.contains {
                $0.parent == variable.scope
                    && start < $0.index
                    && $0.index < index
            }
    }

    /// The names of the types around it, innermost first, without their outer types.
    var typeNames: [String] {
        braces
            .filter { $0.block.kind == .type }
            .map(\.block.name)
    }

    /// The brace of the function around it.
    var function: Cursor? {
        braces.first { $0.block.kind == .function }
    }

    /// The name of the call whose list of arguments or closure opens here.
    var callee: Cursor {
        let name = self - 1
        return name == ")"
            ? name.partner - 1
            : name
    }

    /// The closure after the arguments of the call with this name.
    var trailingClosure: Cursor? {
        let next = (self + 1).next
        return next.block.kind == .closure
            && !next.startsLine
            ? next
            : nil
    }

    /// What the call with this name passes in its brackets.
    var callArguments: [Argument] { (self + 1).arguments }

    /// The closure that the call with this name passes.
    var closure: Cursor? {
        trailingClosure ?? callArguments.last { $0.start == "{" }?.start
    }

    /// What the commas between this bracket and its partner divide.
    var arguments: [Argument] {
        var result: [Argument] = []
        var start = self + 1
        while start.index < partner.index {
            let end = start.first(",")
            result.append(Argument(start, end))
            start = end + 1
        }
        return result
    }

    // MARK: Expressions

    /// Whether the receiver of this method is only a name.
    var hasDirectReceiver: Bool { chainStart == self - 2 }

    /// Where the chain of members and calls begins that ends with this name: `a` of `a.b(1)?.c`.
    var chainStart: Cursor {
        var cursor = self
        while cursor[-1] == "." {
            cursor = cursor - 2
            while cursor.kind == .closing || ["?", "!"].contains(cursor.text) {
                let before = cursor.partner - 1
                guard before.isName || before.kind == .closing else { return cursor.partner }
                cursor = before
            }
        }
        return cursor
    }

    /// The names of `a.b.c`, or of `.c` with an empty first name, and the token after them. What
    /// is no path has only an empty name.
    var path: (names: [String], end: Cursor) {
        var names = [isName ? text : ""]
        var end = isName ? self + 1 : self
        while end == ".", (end + 1).isName {
            names.append(end[1])
            end = end + 2
        }
        return (names, end)
    }

    /// The token after the literal, the name or the call that begins here.
    var operandEnd: Cursor {
        let end = path.end
        return end == self || end == "("
            ? (end - 1).trailingClosure?.next ?? end.next
            : end
    }

    /// The variable whose value begins after this sign.
    var assigned: Variable? {
        file.variables.values.joined().first {
            $0.value == self + 1
        }
    }

    /// The last token before this one that isn't `try` and the like.
    var beforeTry: Cursor {
        var cursor = self - 1
        while Cursor.tries.contains(cursor.text) {
            cursor = cursor - 1
        }
        return cursor
    }

    /// The first token from this one on that isn't `try` and the like.
    var afterTry: Cursor { after(Cursor.tries) }

    private static let tries: Set = ["try", "await", "!"]

    /// The first token from this one on that isn't one of these.
    func after(_ texts: Set<String>) -> Cursor {
        var cursor = self
        while texts.contains(cursor.text) {
            cursor = cursor + 1
        }
        return cursor
    }

    /// The first of these tokens from this one on, outside of other brackets, or the end of those
    /// around it.
    func first(_ texts: String...) -> Cursor {
        var cursor = self
        while !texts.contains(cursor.text), cursor.kind != .closing, cursor.kind != .outside {
            cursor = cursor.next
        }
        return cursor
    }
}
