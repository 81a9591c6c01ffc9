extension Connection {
    /// A column of a table or a view. https://sqlite.org/pragma.html#pragma_table_xinfo
    public struct TableColumn: Sendable, Hashable {
        /// What kind of column it is.
        public enum Kind: Int, Sendable, Hashable {
            /// An ordinary one.
            case ordinary = 0
            /// A hidden one of a virtual table.
            case hidden = 1
            /// A generated one that is computed when it is read.
            case virtualGenerated = 2
            /// A generated one that is stored.
            case storedGenerated = 3
        }

        /// Its name.
        public let name: String
        /// The type as it is declared, empty where none is.
        public let declaredType: String
        /// Whether it is declared `NOT NULL`, or is in the primary key of a table `WITHOUT ROWID`.
        public let isNotNull: Bool
        /// The expression of its `DEFAULT`, nil where there is none.
        public let defaultValue: SQL?
        /// Its place in the primary key, from 1; nil where it isn't in it.
        public let primaryKeyPosition: Int?
        /// Whether it is ordinary, hidden or generated.
        public let kind: Kind
    }

    /// An index of a table. https://sqlite.org/pragma.html#pragma_index_list
    public struct TableIndex: Sendable, Hashable {
        /// Where an index comes from.
        public enum Origin: String, Sendable, Hashable {
            /// `CREATE INDEX`
            case createIndex = "c"
            /// A `UNIQUE` constraint.
            case unique = "u"
            /// The primary key.
            case primaryKey = "pk"
        }

        /// A column of an index.
        public struct Column: Sendable, Hashable {
            /// The table's column; nil for an expression, and for the rowid.
            public let name: String?
            /// Whether it is sorted `DESC`.
            public let isDescending: Bool
            /// The collation it is sorted by.
            public let collation: String
        }

        /// Its name.
        public let name: String
        /// Whether equal keys are refused.
        public let isUnique: Bool
        /// Where it comes from.
        public let origin: Origin
        /// Whether it has a `WHERE`, and so not all rows.
        public let isPartial: Bool
        /// The columns of its key, in order.
        public let columns: [Column]
    }

    /// A foreign key of a table. https://sqlite.org/pragma.html#pragma_foreign_key_list
    public struct ForeignKey: Sendable, Hashable {
        /// The parent table, as it is written in the declaration.
        public let parentTable: String
        /// The columns of the table itself.
        public let columns: [String]
        /// The parent's columns; empty where the declaration names none, which means the parent's
        /// primary key.
        public let parentColumns: [String]
        /// What happens on an update of the parent's key, such as `CASCADE` or `NO ACTION`.
        public let onUpdate: String
        /// What happens when the parent is deleted.
        public let onDelete: String
    }

    /// A trigger on a table or a view. https://sqlite.org/lang_createtrigger.html
    public struct Trigger: Sendable, Hashable {
        /// Its name.
        public let name: String
        /// The statement that created it.
        public let sql: SQL
        /// Whether it is this connection's own, in `temp`.
        public let isTemporary: Bool
    }

    /// A row whose foreign key has no parent.
    /// https://sqlite.org/pragma.html#pragma_foreign_key_check
    public struct ForeignKeyViolation: Sendable, Hashable, CustomStringConvertible {
        /// The database that the table is in.
        public let database: String
        /// The table.
        public let table: String
        /// The row's rowid; nil in a table `WITHOUT ROWID`.
        public let rowID: Int64?
        /// The parent table.
        public let parent: String
        /// The columns of the foreign key.
        public let columns: [String]

        /// The violation in one line.
        public var description: String {
            let row = rowID.map { "row \($0)" } ?? "a row"
            return
                "\(row) of \(database).\(table) has no parent in \(parent) for (\(columns.joined(separator: ", ")))"
        }
    }
}
