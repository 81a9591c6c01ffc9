import Foundation
import SQift

/// A file whose schema calls a function `evil` wherever a schema can call one.
package struct StrangersFile {
    package let path: String
    /// How often a function that this file made available was called.
    package let calls = SharedCount()

    /// What calls the function, by the name of its table or view.
    package static let calling = [
        "checking": "INSERT INTO checking VALUES('a')",
        "generating": "SELECT * FROM generating",
        "indexed": "INSERT INTO indexed VALUES('a')",
        "viewing": "SELECT * FROM viewing",
        "triggering": "INSERT INTO triggering VALUES('a')",
    ]

    package init(_ path: String, only schema: SQL = Self.schema, key: Data? = nil) throws {
        self.path = path
        let connection = try Connection(path: path, configuration: .init(key: key))
        try Self.addIdentity(to: connection)
        try connection.execute(schema)
        try connection.close()
    }

    package static let schema: SQL = """
        CREATE TABLE checking(a CHECK(evil(a) NOTNULL));
        CREATE TABLE generating(a, b AS (evil(a)));
        INSERT INTO generating VALUES('a');
        CREATE TABLE indexed(a);
        CREATE INDEX by_evil ON indexed(evil(a));
        CREATE VIEW viewing AS SELECT evil(a) FROM generating;
        CREATE TABLE triggering(a);
        CREATE TRIGGER t AFTER INSERT ON triggering BEGIN SELECT evil(new.a); END;
        """

    private static func addIdentity(to connection: Connection) throws {
        try connection.addFunction(named: "evil", deterministic: true) { (text: String?) in text }
    }

    /// Adds the function as an app has it, which counts its calls.
    package func addFunction(to connection: Connection) throws {
        try connection.addFunction(named: "evil", deterministic: true) { [calls] (text: String?) in
            calls.add(1)
            return text
        }
    }

    /// Runs everything that calls the function, and returns the messages of what failed.
    package static func messages(of run: (SQL) throws -> Void) -> [String] {
        calling.values.compactMap { sql in
            do {
                try run(sql)
                return nil
            } catch {
                return "\(error)"
            }
        }
    }
}
