/// The values that a detached row owns.
@usableFromInline final class StoredRow {
    let names: ColumnNames
    let values: [BindingValue]
    let sql: SQL?

    init(names: ColumnNames, values: [BindingValue], sql: SQL?) {
        self.names = names
        self.values = values
        self.sql = sql
    }
}
