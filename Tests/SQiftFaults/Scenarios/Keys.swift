import Foundation
import SQift

/// Keys for the SQLite in use.
enum Keys {
    /// It is derived, which is slow, with a salt that is in the file: another key is another salt.
    static let passphrase = Data("correct horse\0battery staple".utf8)
    static let otherPassphrase = Data("another one".utf8)
    // These are taken as they are.
    static let one = raw("1f")
    static let other = raw("2e")

    /// SQLCipher, or else SQLite3 Multiple Ciphers.
    static let areSQLCiphers = Connection.hasCompileOption("HAS_CODEC")

    /// Whether the SQLite in use encrypts.
    static let areSupported = !Connection.missingFeatures.contains { $0.hasPrefix("a key ") }

    private static func raw(_ byte: String) -> Data {
        let digits = String(repeating: byte, count: 32)
        return Data((areSQLCiphers ? "x'\(digits)'" : "raw:\(digits)").utf8)
    }
}
