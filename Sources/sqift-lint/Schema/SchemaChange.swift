/// What SQL outside the migrations does to a table, at a time that isn't known.
struct SchemaChange {
    enum Effect {
        /// It may give the table a column, whose definition begins with its name.
        case addsColumn(String)
        /// It may give the table the columns of this definition.
        case definesTable(SQL)
        /// It may give the table columns of these names.
        case addsColumns([String])
        /// It changes the table in a way that isn't looked at.
        case unknown
    }

    typealias SQL = String

    /// Whether it isn't known what it does.
    var isUnknown: Bool {
        if case .unknown = effect { true } else { false }
    }

    /// Whether all that it may do is to add columns whose names are known.
    var addsKnownColumns: Bool {
        switch effect {
        case .addsColumn, .addsColumns: !table.isComputed
        case .definesTable, .unknown: false
        }
    }

    /// In lower case. A part of it may be known only when the program runs.
    let table: String
    private(set) var effect: Effect
    let doubt: Doubt

    init(_ table: String, _ effect: Effect, by cause: String, at location: Location) {
        self.table = table
        self.effect = effect
        let name =
            table.isComputed
            ? "a table"
            : table
        doubt = Doubt("\(name) may have other columns", cause, at: location)
    }
}

extension SchemaChange {
    /// With the names of the columns in place of the definition of a table, if it is one.
    func resolved(in database: ScratchDatabase) -> SchemaChange {
        guard case .definesTable(let sql) = effect else { return self }
        var change = self
        try? database.execute("SAVEPOINT definition")
        do throws(SQLFailure) {
            try database.execute(sql)
            change.effect = .addsColumns(database.columns(of: table))
        } catch {
            change.effect = .unknown
        }
        try? database.execute("ROLLBACK TO definition; RELEASE definition")
        return change
    }

    /// What one statement of some SQL changes, or nil if that is nothing that others depend on. A
    /// table is never taken away, nor is a column.
    init?(_ statement: [SQLWord], of sql: SQLText) {
        let cause = statement.prefix(2).map { $0.text.uppercased() }
            .joined(separator: " ")
        let location = sql.location(of: statement.first?.start ?? 0)
        let isTemporary = statement.contains(anyOf: "temp", "temporary")
        guard ["create", "alter"].contains(statement.verb),
            let definition = statement.definition,
            // A table of another database is another table.
            [nil, "main", "temp"].contains(definition.database),
            let table = definition.table,
            // A new table with a computed name is none of the known ones.
            statement.verb == "alter" || !table.isComputed
        else { return nil }

        var effect = Effect.unknown
        let bytes = sql.bytes[statement[0].start..<(statement.last?.end ?? 0)]
        let isKnown =
            !bytes.contains(0xFF)
            && !table.isComputed
        if isKnown,
            !isTemporary,
            definition.database != "temp"
        {
            let afterName = statement.drop { $0.name != table }
                .dropFirst()
            switch (statement.verb, afterName.first?.text) {
            case ("create", "("): effect = .definesTable(bytes.text)
            case ("alter", "add"):
                let column = afterName.dropFirst().drop { $0.text == "column" }
                if let first = column.first {
                    guard !["constraint", "check"].contains(first.text) else { return nil }
                    effect = .addsColumn(bytes[first.start...].text)
                }
            case ("alter", "rename"):
                let names = afterName.dropFirst().filter { $0.text != "column" }
                // The table's new name is among those that some SQL makes.
                guard names.first?.text != "to",
                    let last = names.last
                else { return nil }
                effect = .addsColumn(bytes[last.start...].text)
            // The rest is put to it later.
            case (_, nil): break
            case ("alter", _): return nil
            default: break
            }
        }
        self.init(table, effect, by: cause, at: location)
    }
}
