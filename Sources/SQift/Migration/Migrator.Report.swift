extension Migrator {
    /// One migration that is about to run, or has run.
    public struct Step: Sendable, Hashable, CustomStringConvertible {
        /// The migration's name.
        public let name: String

        /// The migration's position in the run, from 1.
        public let number: Int

        /// How many migrations the run has.
        public let count: Int

        /// The position and the name, for example `3 of 7, add-tags`.
        public var description: String { "\(number) of \(count), \(name)" }
    }

    /// What a run did.
    public struct Report: Sendable {
        /// The names of the migrations that ran, in order.
        public let migrations: [String]

        /// How many rows the migrations inserted, updated and deleted.
        public let changedRowCount: Int

        /// The tables, indexes, views and triggers that are new, dropped or changed, by type and
        /// name.
        public let schemaChanges: [SchemaChange]

        /// The rows whose foreign keys have no parent, and had none before: the first hundred.
        public let foreignKeyViolations: [Connection.ForeignKeyViolation]

        /// How many such rows there are.
        public let foreignKeyViolationCount: Int
    }

    /// A difference between two schemas.
    public struct SchemaChange: Sendable, Hashable, CustomStringConvertible {
        /// What the object is: `table`, `index`, `view` or `trigger`.
        public let type: String

        /// The object's name.
        public let name: String

        /// The SQL before the change, or nil for a new object.
        public let before: SQL?

        /// The SQL after the change, or nil for a dropped object.
        public let after: SQL?

        /// The change in words, for example `new table tags`.
        public var description: String {
            let change =
                if before == nil {
                    "new"
                } else if after == nil {
                    "dropped"
                } else {
                    "changed"
                }
            return "\(change) \(type) \(name)"
        }
    }

    /// What the SQL of a schema's object is found by.
    struct SchemaObject: Hashable {
        let type: String
        let name: String
    }

    /// The SQL of a schema's objects.
    typealias Schema = [SchemaObject: SQL]

    /// The database's schema, without SQLite's own objects and the library's own.
    func schema() throws -> Schema {
        let sql = """
            SELECT type, name, sql FROM main.sqlite_schema
            WHERE sql NOTNULL
                AND name NOT IN ('sqift_migrations', 'schema_migrations')
                AND name NOT GLOB 'sqlite_*'
            """
        return try connection.query(sql) { row in
            let key = SchemaObject(type: try row.get(0), name: try row.get(1))
            return (key, try row.get(2))
        }
    }

    /// Compares a schema, an older one or the one that is wanted, with that of the database.
    func schemaChanges(comparedWith old: Schema) throws -> [SchemaChange] {
        let new = try schema()
        return Set(old.keys).union(new.keys)
            .filter { old[$0] != new[$0] }
            .sorted { ($0.type, $0.name) < ($1.type, $1.name) }
            .map { object in
                SchemaChange(
                    type: object.type,
                    name: object.name,
                    before: old[object],
                    after: new[object]
                )
            }
    }
}
