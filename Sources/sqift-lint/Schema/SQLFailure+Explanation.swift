extension SQLFailure {
    var isSyntax: Bool {
        if case .syntax = kind { true } else { false }
    }

    /// The name that was probably meant.
    func suggestion(in database: ScratchDatabase) -> String? {
        switch kind {
        case .table(let name): name.nearest(in: database.tables + database.modules)
        case .column(let name):
            (name.split(separator: ".").last.map(String.init) ?? name)
                .nearest(in: database.columns)
        case .function(let name): name.nearest(in: database.functions)
        case .collation(let name): name.nearest(in: database.collations)
        default: nil
        }
    }

    /// SQLite's message, with the name that was probably meant.
    func explained(by database: ScratchDatabase) -> String {
        let name = suggestion(in: database)
        return name.map { "\(message); did you mean \($0)?" } ?? message
    }
}
