// The names of types in errors are the library's own.
import Foundation
import Testing

@testable import SQift

/// SQLite's storage class of a bound value, from `typeof`.
package func storageClass(of value: some Bindable) throws -> String {
    try Connection().query("SELECT typeof(?)", value)
}

/// The value that SQLite stores for a bound value.
package func stored(_ value: some Bindable) throws -> BindingValue {
    try Connection().query("SELECT ?", value)
}

/// Binds the value, stores it in a table, and reads it back.
package func roundTrip<T: Binding>(_ value: T) throws -> T {
    let connection = try Connection()
    try connection.execute("CREATE TABLE t(v)")
    try connection.run("INSERT INTO t VALUES(?)", value)
    return try connection.query("SELECT v FROM t")
}

/// Expects that the value is equal to what is read back.
package func expectRoundTrip<T: Binding & Equatable>(
    of value: T,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let read = try roundTrip(value)
    #expect(read == value, sourceLocation: sourceLocation)
}

/// Reads an SQL expression in every way and expects the same value from all of them.
///
/// - Parameter expected: nil if the value is refused: `query` and `get` throw an error, and the
///   optional subscripts return nil.
package func expectReading<T: Extractable & Equatable>(
    _ expression: SQL,
    as type: T.Type = T.self,
    is expected: T?,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let connection = try Connection()
    let sql = "SELECT \(expression) AS v"
    var readings: [String: T?] = [:]
    readings["query"] = .some(try? connection.query(sql) as T)
    readings["array"] = .some((try? connection.query(sql) as [T])?.first)
    try connection.forEachRow(sql) { row in
        readings["live get"] = .some(try? row.get(0) as T)
        readings["live get by name"] = .some(try? row.get("V") as T)
        readings["live subscript"] = .some(row[0])
        readings["live subscript by name"] = .some(row["v"])
    }
    let found: Row? = try connection.query(sql)
    let row = try #require(found)
    readings["get"] = .some(try? row.get(0) as T)
    readings["subscript"] = .some(row[0])
    readings["value(at:)"] = .some(row.value(at: 0))
    readings["value(forColumnName:)"] = .some(row.value(forColumnName: "v"))
    let wrong = readings.filter { $0.value != expected }
    #expect(
        wrong.isEmpty,
        "\(type) from \(expression), expected \(expected as Any)",
        sourceLocation: sourceLocation
    )
}

/// Expects that the SQL expression can't be read in any way, and that the error describes it fully.
package func expectMismatch<T: Extractable & Equatable>(
    _ expression: SQL,
    as type: T.Type,
    _ reason: ExtractionError.Reason = .mismatch,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try expectReading(expression, as: type, is: nil, sourceLocation: sourceLocation)
    let connection = try Connection()
    let sql = "SELECT 0, \(expression) AS v"
    let storage: String = try connection.query("SELECT typeof(\(expression))")
    let readings: [(Row) throws -> Void] = [
        { _ = try $0.get(1) as T },
        { _ = try $0.get("v") as T },
    ]
    for read in readings {
        let error = extractionError(
            { try connection.forEachRow(sql, body: read) },
            sourceLocation: sourceLocation
        )
        #expect(error?.reason == reason, sourceLocation: sourceLocation)
        #expect(error?.column == "v", sourceLocation: sourceLocation)
        #expect(error?.index == 1, sourceLocation: sourceLocation)
        #expect(error?.row == 1, sourceLocation: sourceLocation)
        #expect(
            error?.storageClass?.sqlName == storage.uppercased(),
            sourceLocation: sourceLocation
        )
        #expect(error?.expectedType == "\(type)", sourceLocation: sourceLocation)
        #expect(error?.sql == sql, sourceLocation: sourceLocation)
        let description = try #require(error?.description, sourceLocation: sourceLocation)
        let parts = [
            "row 1", "column 1", "(v)", storage.uppercased(), "\(type)", String(sql.prefix(150)),
        ]
        let missing = parts.filter { !description.contains($0) }
        #expect(missing == [], "\(description)", sourceLocation: sourceLocation)
    }
    // A mismatch isn't a missing value: the optional forms that throw still throw.
    let optional = extractionError(
        { try connection.forEachRow(sql) { _ = try $0.get(1) as T? } },
        sourceLocation: sourceLocation
    )
    #expect(optional?.reason == reason, sourceLocation: sourceLocation)
    let query = extractionError(
        { _ = try connection.query("SELECT \(expression)") as T? },
        sourceLocation: sourceLocation
    )
    #expect(query?.reason == reason, sourceLocation: sourceLocation)
}

/// Expects that each way to bind the value throws, and that nothing is stored.
package func expectRefused(
    _ value: some Bindable,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let connection = try Connection()
    try connection.execute("CREATE TABLE t(v)")
    let sql = "INSERT INTO t VALUES(?)"
    let insert = try connection.prepare(sql)
    let forms: [(String, () throws -> Void)] = [
        ("run", { try connection.run(sql, value) }),
        ("run with an array", { try connection.run(sql, [value]) }),
        ("run with a name", { try connection.run("INSERT INTO t VALUES(:v)", ["v": value]) }),
        ("prepare", { _ = try connection.prepare(sql, value) }),
        ("query", { _ = try connection.query("SELECT ?", value) as BindingValue }),
        ("bind", { try insert.bind(value) }),
        ("running what isn't bound", { try insert.run() }),
    ]
    let accepted = forms.compactMap { form, body in (try? body()) == nil ? nil : form }
    #expect(accepted == [], "\(type(of: value)) was accepted", sourceLocation: sourceLocation)
    // The cached statement still works.
    try connection.run(sql, 1)
    let values: [BindingValue] = try connection.query("SELECT v FROM t")
    #expect(values == [.integer(1)], sourceLocation: sourceLocation)
}
