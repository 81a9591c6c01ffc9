extension Connection {
    /// The `sqlite3 *`, and who has it.
    struct Handle {
        /// Who may use the connection.
        enum Holder {
            /// What has the connection: the program that opened it, or what lends it.
            case program
            /// A closure of an access. It can't be closed meanwhile.
            case closure
            /// What lends it, between two accesses. It can't be used meanwhile.
            case lender
        }

        /// Nil once the connection is closed.
        let pointer: OpaquePointer?
        var holder = Holder.program
        /// Whether a backup writes to the database.
        var isOverwritten = false

        /// The pointer if the connection may be used.
        var usablePointer: OpaquePointer? { holder == .lender || isOverwritten ? nil : pointer }
    }
}
