import Foundation
import SQift
import Testing

/// Keys that the library in use takes as they are: deriving one from a passphrase is slow.
package enum Keys {
    // Computed: the leak checker doesn't see what a global `Data` refers to.
    package static var one: Data { raw("1f") }
    package static var other: Data { raw("2e") }
    /// A passphrase, which is derived.
    package static var passphrase: Data { Data("correct horse\0battery staple".utf8) }

    /// Whether the keys are for SQLCipher. Otherwise they are for SQLite3 Multiple Ciphers.
    package static let areSQLCiphers = Connection.hasCompileOption("HAS_CODEC")

    /// - Parameter byte: In hexadecimal digits. The key is 32 of them.
    private static func raw(_ byte: String) -> Data {
        let digits = String(repeating: byte, count: 32)
        return Data(
            (areSQLCiphers ? "x'\(digits)'" : "raw:\(digits)").utf8
        )
    }
}

extension Connection.Configuration {
    package init(key: Data?) {
        self.init()
        self.key = key
        busyTimeout = 5
    }
}

extension Database.Configuration {
    package init(key: Data?) {
        self.init()
        connection.key = key
        synchronous = .off
    }
}

extension TemporaryFolder {
    /// Expects that no file in it, whatever its name, has a plain header or this text.
    package func expectNothingPlain(
        containing text: String = "open secret",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for name in try files() {
            // A file may be gone meanwhile. The WAL's index has no content.
            guard !name.hasSuffix("-shm"),
                let data = FileManager.default.contents(atPath: path(name))
            else { continue }
            for plain in ["SQLite format 3", text, "CREATE TABLE"] {
                let position = data.range(of: Data(plain.utf8))
                #expect(position == nil, "\(plain) in \(name)", sourceLocation: sourceLocation)
            }
        }
    }
}

/// Whether a key opens a database, and its rows are whole.
package func opens(_ path: String, with key: Data?) throws -> Bool {
    do {
        let connection = try Connection(path: path, configuration: .init(key: key))
        let problems = try connection.integrityCheck()
        #expect(problems == [])
        try connection.close()
        return true
    } catch let error as SQLiteError where error.resultCode == .notADatabase {
        return false
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs the test only if the SQLite in use can encrypt.
    package static var encryption: Self {
        .enabled(if: Capability.encryption, "this SQLite can't encrypt")
    }
}
