/// The values that a detached row owns.
@usableFromInline final class StoredRow {
    let names: [String]
    let values: [BindingValue]
    let sql: SQL?

    init(names: [String], values: [BindingValue], sql: SQL?) {
        self.names = names
        self.values = values
        self.sql = sql
    }
}
