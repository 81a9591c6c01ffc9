/// What encodes parameters or decodes a row: its keys are names of parameters or columns, with no
/// path above them.
@usableFromInline protocol FlatCoding {}

extension FlatCoding {
    @usableFromInline var codingPath: [any CodingKey] { [] }
    @usableFromInline var userInfo: [CodingUserInfoKey: Any] { [:] }
}
