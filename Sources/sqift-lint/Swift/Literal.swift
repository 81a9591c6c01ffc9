/// The text of a string literal: bytes, and interpolations, which have none; and where each of them
/// is written.
typealias Literal = [(byte: UInt8?, range: Range<Int>)]
