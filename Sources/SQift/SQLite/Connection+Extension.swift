internal import CSQift

extension Connection {
    /// The entry point of an extension. It receives the `sqlite3 *`, a pointer for an error
    /// message, and the `sqlite3_api_routines *`.
    ///
    /// SQLite: [Run-Time Loadable Extensions](https://sqlite.org/loadext.html)
    public typealias ExtensionEntryPoint =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
        ) -> Int32

    /// Loads an extension from a shared library, for this connection.
    ///
    /// Loading is allowed during this call only, and never for the SQL function `load_extension`.
    /// The library's code runs with all rights of the process.
    ///
    /// - Parameters:
    ///   - path: The library's path. SQLite also tries it with the platform's suffix.
    ///   - entryPoint: The name of the entry point; nil lets SQLite find it.
    /// - Throws: ``SQLiteError`` with SQLite's reason, and if SQLite was built without loading, as
    ///   Apple's is. Link the extension into the program then, and use
    ///   ``registerStaticExtension(_:)``.
    ///
    /// SQLite: [sqlite3_load_extension](https://sqlite.org/c3ref/load_extension.html)
    public func loadExtension(at path: String, entryPoint: String? = nil) throws {
        let path = try path.withoutNUL()
        let entryPoint = try entryPoint?.withoutNUL()
        try withUnsafeHandle { handle in
            let operation = SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION
            let wasEnabled = dbConfig(operation)
            guard Connection.canLoadExtensions, let loadExtension = sqift_find_load_extension(),
                dbConfig(operation, to: 1) == 1
            else {
                throw misuse(
                    """
                    this SQLite was built without loading of extensions: link \(path) and use \
                    registerStaticExtension
                    """
                )
            }
            defer { dbConfig(operation, to: wasEnabled) }
            try throwingMessage { loadExtension(handle, path, entryPoint, &$0) }
        }
    }

    /// Calls `body`, which may add functions, returns a result code, and may set a message.
    private func throwingMessage(
        _ body: (inout UnsafeMutablePointer<CChar>?) -> Int32
    ) throws {
        try forgetUntrustedSchema()
        var message: UnsafeMutablePointer<CChar>?
        defer { sqlite3_free(message) }
        let code = body(&message)
        guard code & 0xff == SQLITE_OK else {
            throw SQLiteError(
                code: ResultCode(code),
                message: message.map { String(cString: $0) }
            )
        }
        distrustSchemaWithOthersFunctions()
    }

    /// Registers an extension that is linked into the program, for this connection.
    ///
    /// ```swift
    /// try connection.registerStaticExtension(sqlite3_series_init)
    /// ```
    ///
    /// - Parameter entryPoint: The extension's `sqlite3_…_init`, compiled with `SQLITE_CORE`: the
    ///   third argument is nil.
    /// - Throws: ``SQLiteError`` with the extension's reason.
    ///
    /// SQLite: [Statically Linking A Run-Time Loadable
    /// Extension](https://sqlite.org/loadext.html#statically_linking_a_run_time_loadable_extension)
    public func registerStaticExtension(_ entryPoint: ExtensionEntryPoint) throws {
        try withUnsafeHandle { handle in
            // SQLITE_OK_LOAD_PERMANENTLY is a success too.
            try throwingMessage { entryPoint(handle, &$0, nil) }
        }
    }
}
