internal import CSQift

extension Connection {
    /// Returns whether a statement may do something. It is called when the statement is compiled.
    ///
    /// The first two strings depend on the action: the name of a table, a column and so on. The
    /// third one is the database, and the fourth one the trigger, view or common table expression
    /// that the action is in.
    ///
    /// SQLite: [Authorizer Action Codes](https://sqlite.org/c3ref/c_alter_table.html)
    public typealias Authorizer = (AuthorizerAction, String?, String?, String?, String?) ->
        AuthorizerResult

    /// Sets the closure that allows or forbids what statements do; nil removes it.
    ///
    /// It is called when a statement is compiled. If it is set, replaced or removed, every
    /// statement is compiled again, so no result outlives its closure. The closure must not use the
    /// connection. The connection keeps it until it is replaced or removed, or the connection is
    /// closed. Set in a closure of a queue, a pool or a `Database`, it ends with that closure's
    /// access. No authorizer is asked about an access's own BEGIN, COMMIT and ROLLBACK, nor about
    /// what a backup of a `Database` reads.
    ///
    /// - Throws: ``SQLiteError`` (`SQLITE_MISUSE`) after ``close()``.
    ///
    /// SQLite: [sqlite3_set_authorizer](https://sqlite.org/c3ref/set_authorizer.html)
    public func authorizer(_ authorizer: Authorizer?) throws {
        guard handle != nil else { throw unusableError }
        let attachment = attachment(AuthorizerAttachment.self)
        restoringAfterAccess { [old = attachment.authorizer] in try? $0.authorizer(old) }
        attachment.authorizer = authorizer
        installAuthorizer()
    }

    /// Makes SQLite compile every statement again, and ask the attachment what they may do.
    func installAuthorizer() {
        guard let handle else { return }
        let attachment = attachment(AuthorizerAttachment.self)
        // It is set even if it is removed next: only setting one makes SQLite compile the existing
        // statements again.
        // "the application should ensure that the correct authorizer callback remains in place
        // during the sqlite3_step()": https://sqlite.org/c3ref/set_authorizer.html
        sqlite3_set_authorizer(
            handle,
            { attachment, action, first, second, database, trigger in
                AuthorizerAttachment.at(attachment)?
                    .authorize(action, [first, second, database, trigger]) ?? SQLITE_OK
            },
            attachment.pointer
        )
        if attachment.authorizer == nil, !attachment.deniesTransactions, state.observer == nil,
            !isHardened
        {
            sqlite3_set_authorizer(handle, nil, nil)
        }
    }

    /// Runs `body`. Its statements can use savepoints, but they can't begin or end a transaction,
    /// even if they were prepared before, nor set the journal mode, which has no effect inside one.
    func denyingTransactions(andJournalModes: Bool, _ body: () throws -> Void) throws {
        let attachment = attachment(AuthorizerAttachment.self)
        attachment.deniesTransactions = true
        attachment.deniesJournalModes = andJournalModes
        attachment.denial = nil
        installAuthorizer()
        defer {
            attachment.deniesTransactions = false
            attachment.deniesJournalModes = false
            installAuthorizer()
        }
        do {
            try body()
        } catch var error as SQLiteError where error.resultCode == .authorization {
            if let denial = attachment.denial {
                error.message += ": \(denial)"
            }
            throw error
        }
    }

    /// An authorizer that allows statements to read, and nothing else: no change, no transaction,
    /// no attached database, and no pragma but `data_version`. Functions may be called.
    ///
    /// ```swift
    /// try connection.authorizer(Connection.readOnlyAuthorizer)
    /// ```
    ///
    /// An R-tree prepares its own writes at its first use, so read it once before. The authorizer
    /// allows an UPDATE of `sqlite_master`, which SQLite itself refuses unless `PRAGMA
    /// writable_schema` is on: leave it off, which is the default.
    public static var readOnlyAuthorizer: Authorizer {
        { action, first, _, _, _ in
            switch action {
            case .select, .read, .function, .recursive: .ok
            // SQLite asks this when it opens a virtual table, such as json_each or a full-text
            // index. A statement that updates this table is refused nevertheless.
            case .update where first == "sqlite_master": .ok
            // The property `dataVersion` runs it, and it changes nothing.
            case .pragma where first == "data_version": .ok
            default: .deny
            }
        }
    }
}

private final class AuthorizerAttachment: ConnectionAttachment {
    var authorizer: Connection.Authorizer?
    /// Whether BEGIN, COMMIT and ROLLBACK are denied, whatever the authorizer returns.
    var deniesTransactions = false
    /// Whether setting the journal mode is denied.
    var deniesJournalModes = false
    /// Why a statement was denied, if it was for one of these reasons.
    var denial: String?

    override func detach(from handle: OpaquePointer) {
        sqlite3_set_authorizer(handle, nil, nil)
    }

    func authorize(_ action: Int32, _ strings: StatementObserver.ActionStrings) -> Int32 {
        if action == SQLITE_TRANSACTION, deniesTransactions {
            denial = "a migration runs in a transaction of its own already: delete this statement"
            return SQLITE_DENY
        }
        if action == SQLITE_PRAGMA, deniesJournalModes, strings[1] != nil,
            sqlite3_stricmp(strings[0], "journal_mode") == 0
        {
            denial =
                """
                the journal mode can't change inside a transaction: give the migration the \
                option withoutTransaction, or set it when you open the database
                """
            return SQLITE_DENY
        }
        if connection.isHardened, Connection.undoesHardening(action, strings[0], strings[1]) {
            return SQLITE_DENY
        }
        connection.state.observer?.mayDo(action, strings)
        guard let authorizer, !connection.isShielded else { return SQLITE_OK }

        let kind = Connection.AuthorizerAction(rawValue: action) ?? .copy
        let strings = strings.map { $0.map(String.init) }
        let result = connection.callingClosure {
            authorizer(kind, strings[0], strings[1], strings[2], strings[3])
        }
        switch action {
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: return result == .ok ? SQLITE_OK : SQLITE_DENY
        default: return result.code
        }
    }
}
