import Foundation
import SQift

/// Keys that the SQLite in use takes as they are: deriving one from a passphrase is slow.
enum Keys {
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
