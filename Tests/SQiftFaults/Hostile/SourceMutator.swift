/// Changes Swift sources: mostly what a lexer looks at, and sometimes any bytes.
struct SourceMutator {
    private(set) var bytes: [UInt8]
    private let others: [[UInt8]]
    private var generator: SeededGenerator

    private static let pieces = [signs, words, sql].flatMap { $0 }.map { Array($0.utf8) }

    private static let signs = [
        "\"", "\"\"\"", "#\"", "\"#", "##\"\"\"", "\\", "\\(", "\\#(", "\\u{", "\\\n", "'", "`",
        "//",
        "/*", "*/", "/", "#/", "{", "}", "(", ")", "[", "]", "<", ">", "?", "!", ".", ",", ":",
        ";", "=", "+", "->", "$0", "\0", "\r\n", "\t", "\u{FEFF}", "é", "😀", "\u{2028}", "0x",
        "1_000", "1e9", "9999999999999999999999",
    ]

    private static let words = [
        "in ", "try ", "try? ", "await ", "return ", "let x = ", "#if DEBUG\n", "#endif\n",
        "import SQift\n", "import Testing\n", "@Test ", "struct A: Decodable {",
        "enum CodingKeys: String, CodingKey {", "init(row: Row) throws {", "case a = \"b\"",
        "extension A {", "func f<T>(", "Migration(", "Migration.load(from: ", "migrations: [",
        "[Migration] = [", "rebuildTable(", "connection.", ".run(", ".query(", ".prepare(",
        ".bind(", ".forEachRow(", "execute(", "encoding: ", "as: (", "row.get(",
        "#expect(throws: ", "// sqift: unchecked\n", "// sqift: schema Schema.sql\n",
        "// sqift: \n",
    ]

    private static let sql = [
        "SELECT ", " FROM ", "INSERT INTO ", "VALUES(?, ?)", "CREATE TABLE a(",
        "CREATE TRIGGER a AFTER INSERT ON a BEGIN ", " END", "ATTACH ", "PRAGMA ",
        "ALTER TABLE a ", "RENAME TO ", "?1", ":a", "--",
    ]

    init(_ bytes: [UInt8], others: [[UInt8]], using generator: SeededGenerator) {
        self.bytes = bytes
        self.others = others
        self.generator = generator
    }

    mutating func mutate() {
        for _ in 0..<number(below: 6) + 1 {
            change()
        }
    }

    private mutating func number(below limit: Int) -> Int {
        Int.random(in: 0..<limit, using: &generator)
    }

    /// A place, mostly one at a sign that means something to a lexer.
    private mutating func place() -> Int {
        let start = number(below: bytes.count + 1)
        guard number(below: 3) > 0 else { return start }
        let signs = "\"#\\(){}[]<>'`/?:.,;".utf8
        return bytes[start...].firstIndex(where: signs.contains) ?? start
    }

    private mutating func range() -> Range<Int> {
        let start = place()
        let longest = number(below: 8) == 0 ? 2_000 : 20
        return start..<min(start + number(below: longest), bytes.count)
    }

    private mutating func change() {
        let start = place()
        switch number(below: 12) {
        case 0: bytes.removeSubrange(range())
        case 1: bytes.insert(contentsOf: Array(bytes[range()]), at: start)
        case 2, 3, 4, 5: bytes.insert(contentsOf: piece(), at: start)
        case 6:
            let range = range()
            bytes.replaceSubrange(range, with: piece())
        case 7:
            let other = others[number(below: others.count)]
            let first = number(below: other.count + 1)
            let end = min(first + number(below: 500), other.count)
            bytes.insert(contentsOf: other[first..<end], at: start)
        case 8: bytes.removeSubrange(start...)
        case 9 where number(below: 10) == 0:
            let all = Array(repeatElement(piece(), count: number(below: 5_000)).joined())
            bytes.insert(contentsOf: all, at: start)
        case 10 where start < bytes.count: bytes[start] = UInt8(number(below: 256))
        default:
            let range = range()
            bytes.replaceSubrange(range, with: bytes[range].reversed())
        }
    }

    private mutating func piece() -> [UInt8] {
        Self.pieces[number(below: Self.pieces.count)]
    }
}
