internal import CSQift

// SQL functions written in Swift. https://sqlite.org/appfunc.html
extension Connection {
    /// Adds an SQL function of any number of typed arguments, or replaces the one with that name
    /// and number of arguments.
    ///
    /// ```swift
    /// try connection.addFunction(named: "initials", deterministic: true) {
    ///     (name: String, separator: String?) in
    ///     name.split(separator: " ").compactMap { $0.first.map { String($0) } }
    ///         .joined(separator: separator ?? "")
    /// }
    /// let initials: String = try connection.query("SELECT initials('Ada Lovelace', '.')")
    /// ```
    ///
    /// The statement fails if an argument doesn't fit the closure's type, if it is NULL and that
    /// type isn't optional, and if the closure throws. A thrown ``SQLiteError`` keeps its code.
    ///
    /// The closure is called in the middle of a statement and on the statement's thread. It may
    /// query the connection, but not close it. The connection keeps it until it is replaced or
    /// removed, or the connection is closed.
    ///
    /// - Parameters:
    ///   - name: The name, of at most 255 bytes of UTF-8.
    ///   - deterministic: Whether equal arguments always give the same result, which indexes and
    ///     generated columns demand.
    ///   - directOnly: Whether it may be used in statements only, not in the schema's triggers,
    ///     views, indexes and so on. Use it for functions with side effects if the file may come
    ///     from a stranger.
    ///   - function: The function. Its value becomes the result as if it were bound to a parameter.
    /// - Throws: `SQLiteError`: `SQLITE_MISUSE` for a bad name, `SQLITE_BUSY` if statements are
    ///   running while one is replaced.
    ///
    /// SQLite: [sqlite3_create_function](https://sqlite.org/c3ref/create_function.html)
    @inlinable public func addFunction<each Argument: ColumnDecodable, Result: Bindable>(
        named name: String,
        deterministic: Bool = false,
        directOnly: Bool = false,
        _ function: @escaping (repeat each Argument) throws -> Result
    ) throws {
        var count = 0
        for _ in repeat (each Argument).self {
            count += 1
        }
        let box = FunctionBox(name: name) { context in
            var index = -1
            try context.setResult(
                try function(repeat try context.arguments.get(after: &index) as each Argument)
            )
        }
        try addFunction(
            box,
            argumentCount: count,
            deterministic: deterministic,
            directOnly: directOnly
        )
    }

    /// Adds an SQL function that takes any number of arguments, or replaces the one with that name
    /// that does.
    ///
    /// - Throws: The same as the form with typed arguments.
    @inlinable public func addFunction<Result: Bindable>(
        named name: String,
        deterministic: Bool = false,
        directOnly: Bool = false,
        _ function: @escaping ([BindingValue]) throws -> Result
    ) throws {
        let box = FunctionBox(name: name) { context in
            try context.setResult(try function(context.arguments.bindingValues))
        }
        try addFunction(
            box,
            argumentCount: -1,
            deterministic: deterministic,
            directOnly: directOnly
        )
    }

    /// Removes a function or an aggregate.
    ///
    /// SQLite remembers the number of arguments. If another function of that name takes any number,
    /// SQLite doesn't find it for this number any more.
    ///
    /// - Parameters:
    ///   - name: Its name, case-insensitively for ASCII letters.
    ///   - argumentCount: The number of arguments it was added with, negative for any number.
    /// - Throws: ``SQLiteError``: `SQLITE_BUSY` if statements are running.
    public func removeFunction(named name: String, argumentCount: Int8) throws {
        try createFunction(name, argumentCount: argumentCount, nil)
    }

    /// Hands a function to SQLite, which keeps it.
    ///
    /// - Parameter argumentCount: Negative for any number.
    @usableFromInline func addFunction(
        _ box: FunctionBox,
        argumentCount: some SignedInteger,
        deterministic: Bool,
        directOnly: Bool = false
    ) throws {
        try forgetUntrustedSchema()
        if box.inverse != nil, sqift_find_create_window_function() == nil {
            throw misuse("this SQLite was built without window functions")
        }
        // The schema of a hardened connection may be trusted, if this SQLite needs that.
        let isDirectOnly = directOnly || isHardened
        let flags =
            (deterministic ? SQLITE_DETERMINISTIC : 0) | (isDirectOnly ? SQLITE_DIRECTONLY : 0)
        try createFunction(box.context.name, argumentCount: argumentCount, flags: flags, box)
    }

    /// - Parameter box: The function; nil removes the one with this name and number of arguments.
    private func createFunction(
        _ name: String,
        argumentCount: some SignedInteger,
        flags: Int32 = 0,
        _ box: FunctionBox?
    ) throws {
        let code = try withUnsafeHandle { handle in
            // SQLite would take an empty name.
            guard !name.isEmpty else { return SQLITE_MISUSE }
            // "The destructor is also invoked if the call to sqlite3_create_function_v2() fails.":
            // https://sqlite.org/c3ref/create_function.html
            return try sqift_create_function(
                handle,
                name.withoutNUL(),
                Int32(clamping: max(argumentCount, -1)),
                SQLITE_UTF8 | flags,
                // SQLite releases the box even if it refuses the function.
                box.map { Unmanaged.passRetained($0).toOpaque() },
                box?.finalize != nil,
                box?.inverse != nil,
                { FunctionBox.run($0, $1, $2) { box, call in try box.step(call) } },
                { context in
                    FunctionBox.run(context) { box, call in try box.finalize?(call) }
                    // The group has ended.
                    groupMemory(in: context, size: 0)?.pointee = nil
                },
                { FunctionBox.run($0) { box, call in try box.value?(call) } },
                { FunctionBox.run($0, $1, $2) { box, call in try box.inverse?(call) } },
                releaseObject
            )
        }
        guard code & 0xff != SQLITE_MISUSE else {
            throw misuse(
                "a function has a name of 1 to 255 bytes and at most 127 arguments: \"\(name)\""
            )
        }
        try check(code)
    }
}
