import SQift
import Testing

// MARK: Of any type

/// The error of this type that `body` throws. If it throws none or another one, the test fails, and
/// the result is nil.
///
/// A function rather than `#expect(throws:)`, for use inside closures: there Swift 6.3 can give the
/// closure in the macro the symbol of a sibling closure, which then runs in its place.
@discardableResult
package func expectThrows<E: Error, T>(
    _ type: E.Type,
    _ body: () throws -> T,
    sourceLocation: SourceLocation = #_sourceLocation
) -> E? {
    do {
        _ = try body()
        Issue.record(
            "an error of type \(E.self) was expected, none was thrown",
            sourceLocation: sourceLocation
        )
    } catch let error as E {
        return error
    } catch {
        Issue.record(
            "an error of type \(E.self) was expected, thrown: \(error)",
            sourceLocation: sourceLocation
        )
    }
    return nil
}

/// The error of this type that an asynchronous call throws.
@discardableResult
package func expectTaskThrows<E: Error>(
    _ type: E.Type,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async -> E? {
    let result: Result<Void, any Error>
    do {
        result = .success(try await body())
    } catch {
        result = .failure(error)
    }
    return expectThrows(type, { try result.get() }, sourceLocation: sourceLocation)
}

/// Expects that an asynchronous call throws this error.
package func expectTaskThrows<E: Error & Equatable>(
    _ expected: E,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    let thrown = await expectTaskThrows(E.self, sourceLocation: sourceLocation, body)
    #expect(thrown == expected, sourceLocation: sourceLocation)
}

/// Expects that a task ends with `CancellationError`.
package func expectCancelled<Value: Sendable>(
    _ task: Task<Value, any Error>,
    sourceLocation: SourceLocation = #_sourceLocation
) async {
    switch await task.result {
    case .success(let value):
        Issue.record("it wasn't cancelled but returned \(value)", sourceLocation: sourceLocation)
    case .failure(let error):
        #expect(error is CancellationError, "thrown: \(error)", sourceLocation: sourceLocation)
    }
}

/// Cancels a task once it has opened a gate, lets it go on, and expects that it ends with
/// `CancellationError`.
package func expectCancelled<Value: Sendable>(
    _ task: Task<Value, any Error>,
    once isReached: Gate,
    opening next: Gate? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) async {
    await isReached.opened(sourceLocation: sourceLocation)
    task.cancel()
    next?.open()
    await expectCancelled(task, sourceLocation: sourceLocation)
}

/// Cancels a task, and expects that it ends soon, with `CancellationError`.
package func expectCancelledAtOnce<Value: Sendable>(
    _ task: Task<Value, any Error>,
    sourceLocation: SourceLocation = #_sourceLocation
) async {
    let start = ContinuousClock.now
    task.cancel()
    await expectCancelled(task, sourceLocation: sourceLocation)
    #expect(ContinuousClock.now - start < .seconds(patience), sourceLocation: sourceLocation)
}

/// Fails the test. For closures that mustn't be called.
package func recordCall(sourceLocation: SourceLocation = #_sourceLocation) {
    Issue.record("the closure was called", sourceLocation: sourceLocation)
}

// MARK: Of the library's types

/// The `SQLiteError` that `body` throws.
package func sqliteError<T>(
    _ body: () throws -> T,
    sourceLocation: SourceLocation = #_sourceLocation
) -> SQLiteError? {
    expectThrows(SQLiteError.self, body, sourceLocation: sourceLocation)
}

/// Expects that an asynchronous call throws an `SQLiteError`, with each of these that is given.
package func expectTaskSQLiteError(
    _ code: ResultCode? = nil,
    extended: ResultCode? = nil,
    message: String? = nil,
    containing words: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    let result: Result<Void, any Error>
    do {
        result = .success(try await body())
    } catch {
        result = .failure(error)
    }
    expectSQLiteError(
        code,
        extended: extended,
        message: message,
        containing: words,
        sourceLocation: sourceLocation,
        result.get
    )
}

/// The `ExtractionError` that `body` throws.
package func extractionError<T>(
    _ body: () throws -> T,
    sourceLocation: SourceLocation = #_sourceLocation
) -> ExtractionError? {
    expectThrows(ExtractionError.self, body, sourceLocation: sourceLocation)
}

/// The `BackupError` that `body` throws.
@discardableResult
package func backupError<T>(
    _ body: () throws -> T,
    sourceLocation: SourceLocation = #_sourceLocation
) -> BackupError? {
    expectThrows(BackupError.self, body, sourceLocation: sourceLocation)
}

/// Expects that an asynchronous call throws a `BackupError` with this reason, and with these words
/// in its message.
package func expectTaskBackupError(
    _ reason: BackupError.Reason,
    containing words: String = "",
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    let error = await expectTaskThrows(BackupError.self, sourceLocation: sourceLocation, body)
    guard let error else { return }
    #expect(error.reason == reason, "\(error)", sourceLocation: sourceLocation)
    let isContained = words.isEmpty || error.message.contains(words)
    #expect(isContained, "\(words) isn't in: \(error)", sourceLocation: sourceLocation)
}

/// The reason of the `AccessError` that `body` throws; nil if it throws nothing. Other errors are
/// thrown again.
package func refusal<T>(_ body: () throws -> T) throws -> AccessError.Reason? {
    do {
        _ = try body()
        return nil
    } catch let error as AccessError {
        return error.reason
    }
}

/// The reason of the `AccessError` that an asynchronous call throws; nil if it throws nothing.
/// Other errors are thrown again.
package func taskRefusal(_ body: () async throws -> Void) async throws -> AccessError.Reason? {
    do {
        try await body()
        return nil
    } catch let error as AccessError {
        return error.reason
    }
}

/// Expects that an asynchronous call throws an `AccessError` with this reason.
package func expectTaskRefusal(
    _ reason: AccessError.Reason,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async throws {
    let found = try await taskRefusal(body)
    #expect(found == reason, sourceLocation: sourceLocation)
}

/// Expects that `body` throws an `AccessError` with this reason.
package func expectRefusal<T>(
    _ reason: AccessError.Reason,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> T
) throws {
    let found = try refusal(body)
    #expect(found == reason, sourceLocation: sourceLocation)
}

// MARK: What an error says

/// Expects that `body` throws an `SQLiteError`, and of the error what `expect(_:_:…)` expects.
///
/// - Parameter extended: The extended result code.
@discardableResult
package func expectSQLiteError<T>(
    _ code: ResultCode? = nil,
    extended: ResultCode? = nil,
    message: String? = nil,
    containing part: String? = nil,
    sql: SQL? = nil,
    offset: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> T
) -> SQLiteError? {
    let error = sqliteError(body, sourceLocation: sourceLocation)
    #expect(
        extended == nil || error?.extendedResultCode == extended,
        "\(String(describing: error))",
        sourceLocation: sourceLocation
    )
    expect(
        error,
        code,
        message: message,
        containing: part,
        sql: sql,
        offset: offset,
        sourceLocation: sourceLocation
    )
    return error
}

/// Expects that there is an error, and that it says what is given; the rest isn't looked at.
///
/// - Parameters:
///   - code: A primary code expects itself or a code that extends it.
///   - part: A part of the message.
package func expect(
    _ error: SQLiteError?,
    _ code: ResultCode? = nil,
    message: String? = nil,
    containing part: String? = nil,
    sql: SQL? = nil,
    offset: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let found = code?.primary == code ? error?.resultCode : error?.extendedResultCode
    let isSaid = part.map { error?.message.contains($0) == true } ?? true
    let text = error?.description
    #expect(error != nil && isSaid, "\(text ?? "")", sourceLocation: sourceLocation)
    expect(found, code, in: text, sourceLocation)
    expect(error?.message, message, in: text, sourceLocation)
    expect(error?.sql, sql, in: text, sourceLocation)
    expect(error?.offset, offset, in: text, sourceLocation)
}

/// Expects that `body` throws an `ExtractionError`, and of the error what `expect(_:_:…)` expects.
@discardableResult
package func expectExtractionError<T>(
    _ reason: ExtractionError.Reason? = nil,
    column: String? = nil,
    index: Int? = nil,
    row: Int? = nil,
    storageClass: Row.Column.DataType? = nil,
    expectedType: String? = nil,
    sql: SQL? = nil,
    codingPath: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> T
) -> ExtractionError? {
    let error = extractionError(body, sourceLocation: sourceLocation)
    expect(
        error,
        reason,
        column: column,
        index: index,
        row: row,
        storageClass: storageClass,
        expectedType: expectedType,
        sql: sql,
        codingPath: codingPath,
        sourceLocation: sourceLocation
    )
    return error
}

/// Expects that there is an error, and that it says what is given; the rest isn't looked at.
package func expect(
    _ error: ExtractionError?,
    _ reason: ExtractionError.Reason? = nil,
    column: String? = nil,
    index: Int? = nil,
    row: Int? = nil,
    storageClass: Row.Column.DataType? = nil,
    expectedType: String? = nil,
    sql: SQL? = nil,
    codingPath: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let text = error?.description
    #expect(error != nil, sourceLocation: sourceLocation)
    expect(error?.reason, reason, in: text, sourceLocation)
    expect(error?.column, column, in: text, sourceLocation)
    expect(error?.index, index, in: text, sourceLocation)
    expect(error?.row, row, in: text, sourceLocation)
    expect(error?.storageClass, storageClass, in: text, sourceLocation)
    expect(error?.expectedType, expectedType, in: text, sourceLocation)
    expect(error?.sql, sql, in: text, sourceLocation)
    expect(error?.codingPath, codingPath, in: text, sourceLocation)
}

/// Expects a value of an error, if there is one to expect.
private func expect<Value: Equatable>(
    _ found: Value?,
    _ expected: Value?,
    in text: String?,
    _ sourceLocation: SourceLocation
) {
    guard let expected else { return }
    #expect(found == expected, "\(text ?? "")", sourceLocation: sourceLocation)
}
