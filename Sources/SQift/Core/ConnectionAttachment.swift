/// What a facility keeps with a connection until it is closed, such as closures that SQLite can't
/// release.
///
/// SQLite has one slot for each kind of callback. The library's own listeners share the slot with
/// the user's closure: one C function calls both.
class ConnectionAttachment {
    /// The connection, which outlives the attachment.
    unowned(unsafe) let connection: Connection

    required init(_ connection: Connection) {
        self.connection = connection
    }

    /// Takes the callbacks away from SQLite, for a handle that may outlive its connection.
    func detach(from handle: OpaquePointer) {}

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
        for case let existing as Attachment in attachments {
            return existing
        }
        let attachment = Attachment(self)
        attachments.append(attachment)
        return attachment
    }

    /// Calls a closure in which the connection can't be closed and no listener is called: one of
    /// the user's that SQLite calls, or code that runs with a setting of its own.
    func callingClosure<Result>(_ closure: () throws -> Result) rethrows -> Result {
        openCallCount += 1
        defer {
            openCallCount -= 1
            assert(openCallCount >= 0, "each call ends once")
        }
        return try closure()
    }

    /// Runs `body`, in which only statements of the library's own run. Neither the progress handler
    /// nor the authorizer is called meanwhile.
    func shielded<Result>(_ body: () throws -> Result) rethrows -> Result {
        try running(as: .library, body)
    }
}
