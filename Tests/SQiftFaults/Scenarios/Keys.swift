import Foundation
import SQift

/// Keys that the SQLite in use takes as they are: deriving one from a passphrase is slow.
enum Keys {
    static let one = raw("1f")
    static let other = raw("2e")

    /// Whether the SQLite in use can encrypt. One that can't refuses the key at once; SQLite3
    /// Multiple Ciphers can't read what it wrote through a file system layer above its own.
    static let areSupported: Bool = {
        var configuration = Connection.Configuration()
        configuration.key = one
        // A database in memory takes no key in every build.
        guard let folder = try? TemporaryFolder() else { return false }
        let path = folder.path + "/a.db"
        let made = try? Connection(path: path, configuration: configuration)
        guard let made, (try? made.execute("CREATE TABLE t(a)")) != nil,
            (try? made.close()) != nil
        else { return false }
        return (try? Connection(path: path, configuration: configuration)) != nil
    }()

    private static func raw(_ byte: String) -> Data {
        let digits = String(repeating: byte, count: 32)
        let isSQLCipher = Connection.hasCompileOption("HAS_CODEC")
        return Data((isSQLCipher ? "x'\(digits)'" : "raw:\(digits)").utf8)
    }
}
