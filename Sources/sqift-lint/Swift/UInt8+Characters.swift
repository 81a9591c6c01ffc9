/// A byte is written as the character that it is: `byte == "\n"`.
extension UInt8: @retroactive ExpressibleByUnicodeScalarLiteral {
    public init(unicodeScalarLiteral character: Unicode.Scalar) {
        self.init(ascii: character)
    }

    /// A space or a tab.
    var isBlank: Bool {
        self == " " || self == "\t"
    }

    var isSpace: Bool {
        isBlank || self == "\n" || self == "\r"
    }

    var isDigit: Bool { self >= "0" && self <= "9" }

    /// A byte of an identifier, in Swift and in SQL.
    var isWord: Bool {
        let small = self | 32
        return small >= "a" && small <= "z"
            || isDigit || self == "_"
            || self == "$" || self >= 128
    }
}
