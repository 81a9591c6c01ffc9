// Bytes of UTF-8 compared with ASCII characters, as in `byte == "/"`.
extension UInt8 {
    static func == (byte: UInt8, character: Unicode.Scalar) -> Bool {
        byte == UInt8(ascii: character)
    }
}
