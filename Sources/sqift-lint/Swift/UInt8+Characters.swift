/// A byte is written as the character that it is: `byte == "\n"`.
extension UInt8: @retroactive ExpressibleByUnicodeScalarLiteral {
    public init(unicodeScalarLiteral character: Unicode.Scalar) {
        self.init(ascii: character)
    }

    var isSpace: Bool { self == " " || self >= "\t" && self <= "\r" }

    var isDigit: Bool { self >= "0" && self <= "9" }

    /// A byte of an identifier, in Swift and in SQL.
    var isWord: Bool { isLetter || isDigit || self == "$" }

    /// A byte that an identifier may begin with.
    var isLetter: Bool {
        self | 32 >= "a" && self | 32 <= "z"
            || self == "_"
            || self >= 128
    }
}

extension Collection<UInt8> {
    /// The text whose UTF-8 this is.
    var text: String { String(decoding: self, as: UTF8.self) }
}
