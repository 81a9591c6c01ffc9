import SQiftTestSupport
import Testing

/// The names of files, and words that need their file to be understood.
struct NameTests {
    /// `Type.swift`, `Type+Aspect.swift` for an extension, `Type.Nested.swift` for a nested type,
    /// or a function's name.
    @Test func everyFileIsNamedAfterWhatItDeclares() throws {
        for file in try SourceFile.all() where file.name != "main" {
            let declared = DeclaredNames(in: file)
            let names = file.name.split(separator: "+").first?.split(separator: ".") ?? []
            let isDeclared = names.allSatisfy { name in
                declared.typesAndExtensions.contains(String(name))
                    || declared.members.contains(name.prefix(1).lowercased() + name.dropFirst())
            }
            #expect(isDeclared, "\(file.path):1")
        }
    }

    @Test(arguments: ["settle", "perform", "place", "word", "answer", "answers"])
    func noNameNeedsItsFileToBeUnderstood(name: String) throws {
        for file in try SourceFile.all() {
            for token in file.tokens where token.isName && token.text == name {
                Issue.record("\(name) in \(file.path):\(token.line)")
            }
        }
    }

    /// SQLite and Swift return, throw and call.
    @Test func noCommentAnswers() throws {
        for file in try SourceFile.all() {
            for line in file.lines {
                let words = line.comment.lowercased().split { !$0.isLetter }
                if words.contains("answers") {
                    Issue.record("\(line.comment) in \(file.path):\(line.number)")
                }
            }
        }
    }
}
