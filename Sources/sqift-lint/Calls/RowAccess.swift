/// What reads a column of a row: `row.get("name")`, `row["name"]` or `row[0]`.
struct RowAccess {
    /// The name or the number in the brackets.
    let column: Cursor
    /// Where the type begins that is wanted, if it is written.
    let type: Cursor?
    fileprivate let isMethod: Bool

    /// The name of the column in lower case, unless it is a number.
    var name: String? {
        column.literalText?.lowercased()
    }

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

    /// The variables that hold a row of a call's result: `row` of
    /// `if let row = try connection.query(…)`, of `while let row = try cursor.next()`, and of
    /// `for row in rows`.
    func rows(of call: Call) -> [Variable] {
        // A variable may hold other rows later.
        guard let result = call.name.chainStart.beforeTry.assigned,
            result.isConstant,
            !isOneOfMany(result)
        else { return [] }
        if call.method == "query" {
            guard let type = result.type else {
                // Without a type, it is a row or nothing.
                let isRow =
                    call.arguments["as"] == nil
                    && call.name.closure == nil
                return isRow
                    ? [result]
                    : []
            }
            let element =
                type == "["
                ? type + 1
                : type
            guard element.typeName?.text == "Row" else { return [] }
            return type == "["
                ? users(of: result, as: [result.name.text])
                : [result]
        }
        return call.method == "cursor"
            ? users(of: result, as: [result.name.text, "next"])
            : []
    }

    /// Whether so many variables of one name are in one block that telling them apart takes long.
    private func isOneOfMany(_ variable: Variable) -> Bool {
        let others = variable.name.file.variables[variable.name.text] ?? []
        return others.count { $0.scope == variable.scope } > 20
    }

    /// The variables whose values are a path that begins with another variable.
    private func users(of variable: Variable, as path: [String]) -> [Variable] {
        variable.name.file.variables.values.joined().filter { user in
            guard let start = user.value?.afterTry,
                start.path.names == path,
                self.variable(start)?.name == variable.name
            else { return false }
            return user.isElement || path.count > 1
        }
    }

    /// What is read of a row that a variable holds.
    func accesses(of row: Variable) -> [RowAccess] {
        let scope = row.scope.kind == .outside ? row.name.file.cursors : row.scope.content
        return
            scope
            .filter { $0 == row.name.text && variable($0)?.name == row.name && !expectsError($0) }
            .compactMap(rowAccess)
    }
}
