/// The text of a string literal, and where each of its bytes is written. An interpolation is a byte
/// 0xFF, which is no UTF-8, and a part of the word around it.
typealias Literal = [(byte: UInt8, start: Int, end: Int)]
