internal import CSQift

// Binding checks the number of values and sets every parameter. After a failure no value is left.
// https://sqlite.org/c3ref/bind_blob.html
extension Statement {
    /// Binds one value to each parameter, in order.
    ///
    /// - Throws: `SQLiteError`: `SQLITE_MISUSE` if there are more or fewer values than parameters,
    ///   and while the statement is being stepped or bound. Also the error of a value's conversion.
    ///   The statement is then unbound.
    /// - Returns: The statement, so that ``run()`` or `query()` may follow.
    @inlinable @inline(__always) @discardableResult
    public func bind<each Parameter: Bindable>(
        _ parameters: repeat each Parameter
    ) throws -> Statement {
        var count = 0
        for _ in repeat (each Parameter).self {
            count += 1
        }
        if count > 0 || parameterCount > 0 {
            try runBinding(count: count) {
                var index: Int32 = 0
                repeat try (each parameters).bind(to: nextSlot(after: &index))
                try checkBound(index)
            }
        }
        return self
    }

    /// Binds one value to each parameter. This form takes a literal `nil`, and values whose types
    /// are known at run time only.
    @_disfavoredOverload @discardableResult public func bind(
        _ parameters: (any Bindable)?...
    ) throws -> Statement {
        try bind(parameters)
    }

    /// Binds an array's values to the parameters, in order.
    @discardableResult public func bind(_ parameters: BindableArray) throws -> Statement {
        if parameters.isEmpty, parameterCount == 0 {
            return self
        }
        try runBinding(count: parameters.count) {
            // The values are read in the array's memory, and bound here rather than in a function
            // of their own: the array's subscript would copy each value twice, an argument once.
            try parameters.withUnsafeBufferPointer { values in
                for index in values.indices {
                    let number = Int32(truncatingIfNeeded: index &+ 1)
                    let slot = ParameterSlot(number, of: self)
                    guard let value = values[index] else {
                        try slot.bindNull()
                        continue
                    }
                    try value.bind(to: slot)
                    try checkBound(number)
                }
            }
        }
        return self
    }

    /// Binds values to the parameters of these names, with or without the prefix: `"id"`, `":id"`,
    /// `"@id"` or `"$id"`.
    ///
    /// - Throws: `SQLiteError`: `SQLITE_MISUSE` for a name that the statement doesn't have, for one
    ///   given twice, and for a parameter that is left unset.
    @discardableResult public func bind(_ parameters: BindableDictionary) throws -> Statement {
        try bind(parameters, ignoringUnknown: false)
    }

    func bind(
        _ parameters: BindableDictionary,
        ignoringUnknown: Bool
    ) throws -> Statement {
        try bindNamed {
            for (name, value) in parameters {
                let isBound = try bindParameter(named: name) { slot in
                    guard let value else { return try slot.bindNull() }
                    try value.bind(to: slot)
                }
                if !isBound, !ignoringUnknown {
                    let names = parameterNames.compactMap { $0 }
                    throw misuse("the statement has no parameter \"\(name)\", only \(names)")
                }
            }
        }
    }

    /// Runs `body`, which binds this many values. If it throws, no value is left.
    @inlinable @inline(__always) func runBinding(
        count: Int,
        _ body: () throws -> Void
    ) throws {
        try beginBinding(count: count)
        do {
            try body()
        } catch {
            endBinding(isComplete: false)
            throw error
        }
        endBinding(isComplete: true)
    }

    /// The slot of the parameter after `index`, which must have been bound.
    @inlinable @inline(__always) func nextSlot(after index: inout Int32) throws -> ParameterSlot {
        try checkBound(index)
        index &+= 1
        return ParameterSlot(index, of: self)
    }

    /// A type's `bind(to:)` may bind nothing. The parameter would then keep its value of an earlier
    /// run.
    @inlinable @inline(__always) func checkBound(_ index: Int32) throws {
        if lastBound != index {
            throw notBoundError(index)
        }
    }

    @usableFromInline func notBoundError(_ index: Int32) -> SQLiteError {
        misuse("bind(to:) of the value for parameter \(index) has bound nothing")
    }

    func misuse(_ message: String) -> SQLiteError {
        SQLiteError(code: .misuse, message: message, sql: sql)
    }

    // MARK: Names

    /// The number of the parameter of that name, with or without the prefix.
    @inline(__always) private func parameterIndex(of name: String) -> Int? {
        bindings.lookups.next(name, generation: bindings.namedCount) ?? searchParameter(name)
    }

    @inline(never) private func searchParameter(_ name: String) -> Int? {
        // An earlier prefix takes precedence. SQLite would cut the name at a NUL byte.
        let prefixes = name.containsNUL ? [] : ["", ":", "@", "$", "?"]
        let index = prefixes.lazy.map { sqlite3_bind_parameter_index(self.handle, $0 + name) }
            .first { $0 > 0 }.map(Int.init)
        bindings.lookups.remember(name, at: index)
        return index
    }

    @inline(__always) private func hasNamedValue(at index: Int) -> Bool {
        bindings.namedUses[index] == bindings.namedCount
    }

    /// Runs `body`, which binds each parameter by its name.
    ///
    /// - Parameter unsetIsNull: Whether a parameter of this name that `body` leaves unset is NULL.
    func bindNamed(
        unsetIsNull: (String) -> Bool = { _ in false },
        _ body: () throws -> Void
    ) throws -> Statement {
        try runBinding(count: parameterCount) {
            if bindings.namedCount == 0 {
                bindings.namedUses = Array(repeating: 0, count: parameterCount)
            }
            bindings.namedCount += 1
            try body()

            for index in 0..<parameterCount where !hasNamedValue(at: index) {
                guard let name = parameterName(at: index) else {
                    throw misuse("parameter \(index + 1) has no name: bind by position")
                }
                let key = String(name.dropFirst())
                // Of `:key` and `@key`, only one is bound by `key`.
                guard unsetIsNull(key), parameterIndex(of: key) == index + 1 else {
                    throw misuse("parameter \"\(name)\" is left unset; bind nil for NULL")
                }
                try ParameterSlot(Int32(index + 1), of: self).bindNull()
            }
        }
        return self
    }

    /// Calls `body` with the slot of the parameter of that name, with or without the prefix.
    ///
    /// - Returns: Whether the statement has that parameter.
    @inline(__always)
    func bindParameter(
        named name: String,
        _ body: (borrowing ParameterSlot) throws -> Void
    ) throws -> Bool {
        guard let index = parameterIndex(of: name) else { return false }
        guard !hasNamedValue(at: index - 1) else {
            throw misuse("parameter \"\(name)\" is given twice")
        }
        bindings.namedUses[index - 1] = bindings.namedCount
        let number = Int32(truncatingIfNeeded: index)
        try body(ParameterSlot(number, of: self))
        try checkBound(number)
        return true
    }
}
