/// What reads a column of a row: `row.get("name")`, `row["name"]` or `row[0]`.
struct RowAccess {
    /// The name or the number in the brackets.
    let column: Cursor
    /// Where the type begins that is wanted, if it is written.
    let type: Cursor?
    fileprivate let isMethod: Bool

    /// Whether the column has to be there: where an optional is wanted, a subscript without a
    /// column is nil.
    var isNeeded: Bool {
        isMethod
            || type?.typeName != nil
                && type?.isOptional == false
    }
}

extension Index {
    /// What is read of a row, by its name.
    func rowAccess(_ row: Cursor) -> RowAccess? {
        let isMethod = row.reads(row.text, ".", "get", "(")
        let column = row + (isMethod ? 4 : 2)
        let closing = column + 1
        guard row[-1] != ".",
            isMethod || row[1] == "[",
            closing.kind == .closing
        else {
            return nil
        }
        let type = resultType(of: row, to: closing + 1)
        return RowAccess(column: column, type: type, isMethod: isMethod)
    }
}
