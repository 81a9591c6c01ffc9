import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct Model: Codable, Equatable, ExpressibleByRow {
    static var columnNamesAreSnakeCase: Bool { true }

    var modelName: String
    var modelYear: Int?
    var baseURL: URL?
}

/// Its keys begin with capitals.
private struct CapitalizedModel: Codable, ExpressibleByRow {
    static var columnNamesAreSnakeCase: Bool { true }

    var modelYear: String?
    var url: String?
    var id: String?

    private enum CodingKeys: String, CodingKey {
        case modelYear = "ModelYear"
        case url = "URL"
        case id = "Id"
    }
}

/// Its parameters have the names of its properties only.
private struct PlainModel: Encodable {
    var modelName: String
}

/// The parameters of a type whose columns are in snake case may be, too.
struct EncodedSnakeCaseTests {
    private let connection: Connection
    private let insert = "INSERT INTO models VALUES(:model_name, :model_year, :base_url)"

    init() throws {
        connection = try Connection()
        try connection.execute(
            "CREATE TABLE models(model_name TEXT, model_year INTEGER, base_url TEXT)"
        )
    }

    @Test func whatIsWrittenIsRead() throws {
        let models = [
            Model(modelName: "T", modelYear: 1908, baseURL: URL(string: "https://example.org")),
            Model(modelName: "A"),
        ]
        for model in models {
            try connection.run(insert, encoding: model)
        }
        #expect(try connection.query("SELECT * FROM models ORDER BY rowid") == models)
        let sql = "SELECT count(*) FROM models WHERE base_url IS NULL"
        #expect(try connection.query(sql) == 1)
    }

    @Test func theOwnNamesWorkToo() throws {
        let sql = "INSERT INTO models(model_name, model_year) VALUES(:modelName, :model_year)"
        try connection.run(sql, encoding: Model(modelName: "T", modelYear: 1908))
        try connection.run(sql, encoding: Model(modelName: "A"))
        #expect(try connection.query("SELECT model_year FROM models") == [1908, nil])
    }

    @Test func anotherParameterIsStillUnset() throws {
        expectSQLiteError(containing: ":model_price") {
            try connection.run("SELECT :model_name, :model_price", encoding: Model(modelName: "T"))
        }
    }

    @Test(arguments: ["x", nil])
    func keysMayBeginWithACapital(value: String?) throws {
        let values = try connection.prepare("SELECT :model_year, :url, :id")
            .bind(encoding: CapitalizedModel(modelYear: value, url: value, id: value))
            .query(as: (String?, String?, String?).self)
        #expect(values.map(\.0) == [value])
        #expect(values.map(\.1) == [value])
        #expect(values.map(\.2) == [value])
    }

    /// Each part that may be an abbreviation has two spellings.
    @Test func aLongNameHasFewSpellings() throws {
        let name = Array(repeating: "ab", count: 60).joined(separator: "_")
        expectSQLiteError(containing: name) {
            try connection.run("SELECT :\(name)", encoding: Model(modelName: "T"))
        }
    }

    @Test func withoutTheOptionNamesAreAsTheyAre() throws {
        expectSQLiteError(containing: ":model_name") {
            try connection.run("SELECT :model_name", encoding: PlainModel(modelName: "T"))
        }
    }
}
