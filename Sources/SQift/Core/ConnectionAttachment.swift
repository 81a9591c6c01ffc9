/// What a facility keeps with a connection: the closures that SQLite calls for it, where SQLite has
/// no destructor that would release them.
///
/// SQLite has one slot for each kind of callback. The library's own listeners share the slot with
/// the user's closure: one C function calls both.
protocol ConnectionAttachment: AnyObject {
    /// - Parameter connection: The connection, which outlives the attachment. Keep it `unowned`.
    init(_ connection: Connection)

    /// Takes the callbacks away from SQLite, for a handle that may outlive its connection.
    func detach(from handle: OpaquePointer)
}

extension ConnectionAttachment {
    /// The context that SQLite hands to a C callback.
    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// The attachment of a C callback's context.
    static func at(_ pointer: UnsafeMutableRawPointer?) -> Self? {
        pointer.map { Unmanaged<Self>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension Connection {
    /// The facility's attachment, which is made at its first use and lives until the connection is
    /// closed.
    func attachment<Attachment: ConnectionAttachment>(_ type: Attachment.Type) -> Attachment {
        if let existing = existingAttachment(type) {
            return existing
        }
        let attachment = Attachment(self)
        attachments[ObjectIdentifier(type)] = attachment
        return attachment
    }

    /// The facility's attachment if it has been used.
    func existingAttachment<Attachment: ConnectionAttachment>(
        _ type: Attachment.Type
    ) -> Attachment? {
        attachments[ObjectIdentifier(type)] as? Attachment
    }

    /// Calls a closure of the user's from a C callback. The connection can't be closed meanwhile.
    func callingClosure<Result>(_ closure: () -> Result) -> Result {
        runningClosureCount += 1
        defer { runningClosureCount -= 1 }
        return closure()
    }

    /// Calls a commit or rollback hook, in which no statement of this connection may run: it would
    /// commit or roll back itself.
    func callingHook<Result>(_ hook: () -> Result) -> Result {
        let wasInsideHook = state.isInsideHook
        state.isInsideHook = true
        defer { state.isInsideHook = wasInsideHook }
        return hook()
    }

    /// Runs `body`, with which the library puts things in order. Neither the progress handler nor
    /// the authorizer is asked meanwhile.
    func shielded<Result>(_ body: () throws -> Result) rethrows -> Result {
        let wasShielded = isShielded
        isShielded = true
        defer { isShielded = wasShielded }
        return try body()
    }
}
