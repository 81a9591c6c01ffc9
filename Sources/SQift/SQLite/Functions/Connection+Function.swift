internal import CSQift

// SQL functions written in Swift: https://sqlite.org/appfunc.html
extension Connection {
    /// Adds an SQL function of any number of typed arguments, or replaces the one with that name
    /// and number of arguments.
    ///
    /// ```swift
    /// try connection.addFunction(named: "initials", deterministic: true) { (name: String, separator: String?) in
    ///     name.split(separator: " ").compactMap { $0.first.map { String($0) } }.joined(separator: separator ?? "")
    /// }
    /// let initials: String = try connection.query("SELECT initials('Ada Lovelace', '.')")
    /// ```
    ///
    /// An argument of another type than the closure's, or NULL where that isn't optional, is an
    /// error of the statement, as is what the closure throws; a thrown `SQLiteError` keeps its
    /// code. The closure is called in the middle of a statement and on its thread. It may query the
    /// connection, but not close it; the connection keeps it until it is replaced or removed, or
    /// the connection is closed.
    ///
    /// - Parameters:
    ///   - name: The name, of at most 255 bytes of UTF-8.
    ///   - deterministic: Whether equal arguments always give the same result, which indexes and
    ///     generated columns demand.
    ///   - directOnly: Whether it may be used in statements only, not in the schema's triggers,
    ///     views, indexes and so on: for functions with side effects, where the file may come from
    ///     a stranger.
    ///   - function: The function. What it returns becomes the result as if it were bound to a
    ///     parameter.
    /// - Throws: `SQLiteError`: `SQLITE_MISUSE` for a bad name, `SQLITE_BUSY` if statements are
    ///   running while one is replaced.
    ///
    /// https://sqlite.org/c3ref/create_function.html
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
        let function = ScalarCall(name) { call in
            var index = 0
            try call.setResult(
                try function(repeat try call.nextArgument((each Argument).self, &index))
            )
        }
        try register(
            function,
            argumentCount: count,
            deterministic: deterministic,
            directOnly: directOnly
        )
    }

    /// Adds an SQL function that takes any number of arguments, or replaces the one with that name
    /// that does.
    ///
    /// - Throws: As the form with typed arguments.
    @inlinable public func addFunction<Result: Bindable>(
        named name: String,
        deterministic: Bool = false,
        directOnly: Bool = false,
        _ function: @escaping ([BindingValue]) throws -> Result
    ) throws {
        let function = ScalarCall(name) { call in
            try call.setResult(try function(call.row.bindingValues))
        }
        try register(
            function,
            argumentCount: -1,
            deterministic: deterministic,
            directOnly: directOnly
        )
    }

    /// Removes a function or an aggregate.
    ///
    /// SQLite remembers the number of arguments: another function of that name that takes any
    /// number isn't found for it any more.
    ///
    /// - Parameters:
    ///   - name: Its name, ASCII letters in either case.
    ///   - argumentCount: The number of arguments it was added with, negative for any number.
    /// - Throws: `SQLiteError`: `SQLITE_BUSY` if statements are running.
    public func removeFunction(named name: String, argumentCount: Int8) throws {
        guard let handle else { throw unusableError }
        let name = try functionName(name)
        let count = Int32(max(argumentCount, -1))
        let code = sqlite3_create_function_v2(
            handle,
            name,
            count,
            SQLITE_UTF8,
            nil,
            nil,
            nil,
            nil,
            nil
        )
        guard code == SQLITE_OK else { throw functionError(code, name) }
    }

    /// Hands a scalar function to SQLite, which keeps it.
    @usableFromInline func register(
        _ function: ScalarCall,
        argumentCount: Int,
        deterministic: Bool,
        directOnly: Bool
    ) throws {
        guard let handle else { throw unusableError }
        function.call.functionTableLock = tableLockForFunctions()
        let code = sqlite3_create_function_v2(
            handle,
            try functionName(function.call.name),
            Int32(clamping: argumentCount),
            functionFlags(deterministic: deterministic, directOnly: directOnly),
            Unmanaged.passRetained(function).toOpaque(),
            { context, count, arguments in
                guard let function = sqlite3_user_data(context) else { return }
                Unmanaged<ScalarCall>.fromOpaque(function)._withUnsafeGuaranteedRef {
                    $0.call.call(context, count, arguments, $0.body)
                }
            },
            nil,
            nil,
            { if let function = $0 { Unmanaged<ScalarCall>.fromOpaque(function).release() } }
        )
        guard code == SQLITE_OK else { throw functionError(code, function.call.name) }
    }

    func functionFlags(deterministic: Bool, directOnly: Bool) -> Int32 {
        SQLITE_UTF8 | (deterministic ? SQLITE_DETERMINISTIC : 0)
            | (directOnly ? SQLITE_DIRECTONLY : 0)
    }

    func functionName(_ name: String) throws -> String {
        guard !name.isEmpty else { throw functionError(SQLITE_MISUSE, name) }
        return try name.withoutNUL()
    }

    func functionError(_ code: Int32, _ name: String) -> SQLiteError {
        guard code & 0xff != SQLITE_MISUSE else {
            return SQLiteError.misuse(
                "a function has a name of 1 to 255 bytes and at most 127 arguments: \"\(name)\""
            )
        }
        return error(code, hasOffset: false)
    }
}

/// What SQLite keeps of a scalar function, and keeps alive while it calls it.
@usableFromInline final class ScalarCall {
    let call: FunctionCall
    let body: (FunctionCall) throws -> Void

    @usableFromInline init(_ name: String, body: @escaping (FunctionCall) throws -> Void) {
        call = FunctionCall(name)
        self.body = body
    }
}

extension Row {
    /// All values.
    @usableFromInline var bindingValues: [BindingValue] {
        get throws { try (0..<columnCount).map(storedValue) }
    }
}
