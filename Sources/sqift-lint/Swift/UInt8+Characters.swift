/// A byte is written as the character that it is: `byte == "\n"`.
extension UInt8: @retroactive ExpressibleByUnicodeScalarLiteral {
    public init(unicodeScalarLiteral character: Unicode.Scalar) {
        self.init(ascii: character)
    }

    var isSpace: Bool { " \t\r\n".utf8.contains(self) }

    var isDigit: Bool { self >= "0" && self <= "9" }

    /// A byte of an identifier, in Swift and in SQL.
    var isWord: Bool {
        let small = self | 32
        return small >= "a" && small <= "z"
            || isDigit || self == "_"
            || self == "$" || self >= 128
    }
}

extension Collection<UInt8> {
    /// The text whose UTF-8 this is.
    var text: String { String(decoding: self, as: UTF8.self) }
}
