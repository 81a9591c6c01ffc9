// Views, triggers and references, which SQLite looks into only when they are used.
extension Schema {
    /// Reports what can't be used, unless something that isn't known may make it right.
    func checkDefinitions() {
        for use in definitions.failures(in: database) {
            let isOpen =
                use.isOfTrigger && otherDefinitions != nil
                || use.words.callsFunction(named: use.failure.name.lastPart)
                || allColumnsDoubt(of: use.words) != nil
                || doubt(about: use.failure, in: use.words) != nil
            if !isOpen {
                let text = "\(use.name) can't be used: \(use.failure.message)"
                messages.append(Message(.error, text, at: use.location))
            }
        }
        for reference in definitions.missingParents(in: database) {
            let parent = reference.parent
            let isOpen =
                registered.foreignMigrations != nil
                || openTables[parent] != nil
                || openTables[reference.table] != nil
                || otherTables.contains { $0.mayBe(parent) }
            if !isOpen {
                let text = "\(reference.table) refers to \(parent), which no migration makes"
                messages.append(Message(.warning, text, at: reference.location))
            }
        }
    }
}
