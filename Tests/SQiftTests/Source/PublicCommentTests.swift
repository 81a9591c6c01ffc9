import SQiftTestSupport
import Testing

/// Every public declaration has a documentation comment. A witness of a protocol has the
/// protocol's.
struct PublicCommentTests {
    private static let keywords: Set<Substring> = [
        "actor", "class", "enum", "func", "init", "let", "protocol", "struct", "subscript",
        "typealias", "var",
    ]

    private static let witnesses: Set<Substring> = [
        "==", "<", "hash(into", "description", "debugDescription", "errorDescription",
        "failureReason", "rawValue", "makeIterator", "next", "init(rawValue", "encode(to",
        "init(from", "BindingType", "bindingValue", "fromBindingValue", "bind(to", "decode(from",
        "decodeIfPresent(from",
    ]

    @Test func everyPublicDeclarationIsDocumented() throws {
        for file in try SourceFile.library() {
            for line in undocumentedDeclarations(in: file) {
                Issue.record("\(line.code) in \(file.path):\(line.number)")
            }
        }
    }

    /// Lists of symbols show the abstract alone, so it has words beside its code.
    @Test func everyAbstractSaysSomething() throws {
        for file in try SourceFile.library() {
            for abstract in abstracts(in: file) {
                let words = abstract.text.replacing(/`+[^`]*`+/, with: "").split(separator: " ")
                    .filter { $0.contains(where: \.isLetter) }
                #expect(words.count >= 2, "\(abstract.text) in \(file.path):\(abstract.number)")
            }
        }
    }

    /// The first paragraph of each documentation comment, with the number of its first line.
    private func abstracts(in file: SourceFile) -> [(number: Int, text: String)] {
        let comments: [Substring?] = file.lines.map { line in
            let hasCode = line.code.contains { $0 != " " }
            return line.comment.hasPrefix("///") && !hasCode ? line.comment.dropFirst(3) : nil
        }
        return comments.indices.compactMap { index in
            guard comments[index] != nil, index == 0 || comments[index - 1] == nil else {
                return nil
            }
            let paragraph = comments[index...].prefix { $0?.isEmpty == false }
            return (index + 1, paragraph.compactMap { $0 }.joined())
        }
    }

    private func undocumentedDeclarations(in file: SourceFile) -> [SourceLine] {
        var isDocumented = false
        var attributeDepth = 0
        var found: [SourceLine] = []
        for line in file.lines {
            let code = line.code.drop { $0 == " " }
            if line.comment.hasPrefix("///"), code.isEmpty {
                isDocumented = true
            } else if code.hasPrefix("@") && !isPublic(code) || attributeDepth > 0 {
                // Attributes, which may take several lines, stand below the comment.
                attributeDepth += code.count { $0 == "(" } - code.count { $0 == ")" }
            } else if !code.hasPrefix("#") {
                if isPublic(code), !isDocumented, !isWitness(code) {
                    found.append(line)
                }
                isDocumented = false
            }
        }
        return found
    }

    private func isPublic(_ code: Substring) -> Bool {
        let words = code.split(separator: " ")
        guard words.contains("public") || words.contains("open") else { return false }
        return !words.contains("extension") && words.contains(where: isKeyword)
    }

    /// Whether the name, with the first label if functions differ in it, is that of a witness.
    private func isWitness(_ code: Substring) -> Bool {
        let words = code.split(separator: " ")
        guard let index = words.firstIndex(where: isKeyword) else { return false }
        let isNamedByKeyword = words[index].contains("(")
        let start = isNamedByKeyword ? index : index + 1
        let declaration = words[start...].joined(separator: " ")
            .replacing("init?(", with: "init(")
        return Self.witnesses.contains { witness in
            let rest = declaration.dropFirst(witness.count)
            let isWholeName = rest.first.map { !$0.isLetter && !$0.isNumber } ?? true
            return declaration.hasPrefix(witness) && isWholeName
        }
    }

    /// `func`, `init(rawValue:`, `init?(`.
    private func isKeyword(_ word: Substring) -> Bool {
        Self.keywords.contains(word.prefix(while: \.isLetter))
    }
}
