extension UInt8 {
    static let newline = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let tab = UInt8(ascii: "\t")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let pound = UInt8(ascii: "#")
    static let slash = UInt8(ascii: "/")
    static let star = UInt8(ascii: "*")

    /// A space or a tab.
    var isBlank: Bool { self == .space || self == .tab }

    var isSpace: Bool { isBlank || self == .newline || self == .carriageReturn }

    var isDigit: Bool { self >= 48 && self <= 57 }

    /// A byte of an identifier, in Swift and in SQL.
    var isWord: Bool {
        self >= 97 && self <= 122 || self >= 65 && self <= 90 || isDigit || self == 95
            || self >= 128 || self == 36
    }
}
