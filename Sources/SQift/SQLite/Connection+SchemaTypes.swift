extension Connection {
    /// A column of a table or a view.
    ///
    /// SQLite: [PRAGMA table_xinfo](https://sqlite.org/pragma.html#pragma_table_xinfo)
    public struct TableColumn: Sendable, Hashable, Decodable, ExpressibleByRow {
        /// The kinds of columns.
        public enum Kind: Int, Sendable, Decodable {
            /// An ordinary column.
            case ordinary = 0
            /// A hidden column of a virtual table.
            case hidden
            /// A generated column that is computed when it is read.
            case virtualGenerated
            /// A generated column that is stored.
            case storedGenerated
        }

        /// The column's name.
        public let name: String
        /// The declared type, or an empty string.
        public let declaredType: String
        /// Whether the column is declared `NOT NULL`, or is in the primary key of a table
        /// `WITHOUT ROWID`.
        public let isNotNull: Bool
        /// The expression of the `DEFAULT`, or nil.
        public let defaultValue: SQL?
        /// The position in the primary key, from 1, or nil.
        public let primaryKeyPosition: Int?
        /// Whether the column is ordinary, hidden or generated.
        public let kind: Kind
    }

    /// An index of a table.
    ///
    /// SQLite: [PRAGMA index_list](https://sqlite.org/pragma.html#pragma_index_list)
    public struct TableIndex: Sendable, Hashable {
        /// The origins of an index.
        public enum Origin: String, Sendable {
            /// A statement of its own, `CREATE INDEX`.
            case createIndex = "c"
            /// A `UNIQUE` constraint.
            case unique = "u"
            /// The primary key.
            case primaryKey = "pk"
        }

        /// A column of an index.
        public struct Column: Sendable, Hashable, Decodable, ExpressibleByRow {
            /// The name of the table's column; nil for an expression, and for the rowid.
            public let name: String?
            /// Whether the order is `DESC`.
            public let isDescending: Bool
            /// The collation of the order.
            public let collation: String
        }

        /// The index's name.
        public let name: String
        /// Whether two rows can't have the same key.
        public let isUnique: Bool
        /// The origin of the index.
        public let origin: Origin
        /// Whether the index has a `WHERE`, and so doesn't contain all rows.
        public let isPartial: Bool
        /// The columns of the key, in order.
        public let columns: [Column]
    }

    /// A foreign key of a table.
    ///
    /// SQLite: [PRAGMA foreign_key_list](https://sqlite.org/pragma.html#pragma_foreign_key_list)
    public struct ForeignKey: Sendable, Hashable {
        /// The parent table, spelled as in the declaration.
        public let parentTable: String
        /// The columns of the table itself.
        public let columns: [String]
        /// The parent's columns. It is empty if the declaration names none and so means the
        /// parent's primary key.
        public let parentColumns: [String]
        /// The action if the parent's key is updated, such as `CASCADE` or `NO ACTION`.
        public let onUpdate: String
        /// The action if the parent is deleted.
        public let onDelete: String
    }

    /// A trigger on a table or a view.
    ///
    /// SQLite: [CREATE TRIGGER](https://sqlite.org/lang_createtrigger.html)
    public struct Trigger: Sendable, Hashable, Decodable, ExpressibleByRow {
        /// The trigger's name.
        public let name: String
        /// The statement that created the trigger.
        public let sql: SQL
        /// Whether the trigger is this connection's own, in `temp`.
        public let isTemporary: Bool
    }

    /// A row whose foreign key has no parent.
    ///
    /// SQLite: [PRAGMA foreign_key_check](https://sqlite.org/pragma.html#pragma_foreign_key_check)
    public struct ForeignKeyViolation: Sendable, Hashable, CustomStringConvertible {
        /// The name of the table's database.
        public let database: String
        /// The name of the table.
        public let table: String
        /// The row's rowid; nil in a table `WITHOUT ROWID`.
        public let rowID: Int64?
        /// The name of the parent table.
        public let parent: String
        /// The columns of the foreign key.
        public let columns: [String]

        /// The violation in one line.
        public var description: String {
            let row = rowID.map { "row \($0)" } ?? "a row"
            let columns = columns.joined(separator: ", ")
            return "\(row) of \(database).\(table) has no parent in \(parent) for (\(columns))"
        }
    }
}
