import Foundation
import SQift
import SQiftTestSupport
import Testing

/// What a file is with another key, a first one, or none.
@Suite(.encryption) struct ChangeKeyTests {
    private let file: KeyedFile

    init() throws {
        file = try KeyedFile()
    }

    /// The keys before and after. A passphrase is derived with a salt that is in the file, and has
    /// a zero byte here.
    private static let changes: [(old: Data?, new: Data?)] = [
        (Keys.passphrase, Data("hunter2".utf8)), (Keys.one, Keys.other),
        (Keys.one, Keys.passphrase), (Keys.passphrase, Keys.passphrase),
        (nil, Keys.passphrase), (nil, Keys.one), (Keys.passphrase, nil), (Keys.one, nil),
    ]

    @Test(arguments: ["delete", "wal"])
    func everythingStaysButTheKey(journalMode: String) throws {
        for (number, change) in Self.changes.enumerated() {
            for name in try file.folder.files() {
                try FileManager.default.removeItem(atPath: file.folder.path(name))
            }
            try file.make(change.old, journalMode: journalMode)
            let before = try file.state(change.old)

            try file.changeKey(from: change.old, to: change.new)
            #expect(try file.folder.files() == ["test.sqlite"], "\(number)")
            #expect(try file.state(change.new) == before, "\(number)")
            if change.old != change.new {
                #expect(throws: SQLiteError.self, "\(number)") { try file.state(change.old) }
            }
            if change.new != nil {
                try file.folder.expectNothingPlain()
            }
        }
    }

    // SQLCipher reserves too much of a page of 512 bytes.
    @Test(
        arguments: Keys.areSQLCiphers ? [1024, 8192, 65_536] : [512, 1024, 8192, 65_536],
        KeyedFile.changes
    )
    func pagesOfEachSizeStay(size: Int, change: (old: Data?, new: Data?)) throws {
        // SQLCipher has pages of another size only by its settings, which not each change can have.
        let hasSettings = Keys.areSQLCiphers && change.old != nil
        guard !hasSettings || change.new != nil else { return }
        let settings = hasSettings ? "PRAGMA cipher_page_size = \(size)" : ""
        try file.make(
            change.old,
            settings: settings,
            pragmas: hasSettings ? "" : "PRAGMA page_size = \(size)"
        )
        var before = try file.state(change.old, settings)
        #expect(before.contains("page_size: \(size)"))

        try file.changeKey(from: change.old, settings: settings, to: change.new)
        if Keys.areSQLCiphers, change.old == nil {
            // A first key comes with pages of SQLCipher's own size.
            before = before.map { $0 == "page_size: \(size)" ? "page_size: 4096" : $0 }
        }
        #expect(try file.state(change.new, settings) == before)
    }

    @Test(arguments: ["UTF-16le", "UTF-16be"], KeyedFile.changes)
    func textStaysInItsEncoding(encoding: String, change: (old: Data?, new: Data?)) throws {
        try file.make(change.old, pragmas: "PRAGMA encoding = '\(encoding)'")
        let before = try file.state(change.old)
        try file.changeKey(from: change.old, to: change.new)
        #expect(try file.state(change.new) == before)
    }

    /// Each cipher that the documents name.
    @Test(
        .disabled(if: Keys.areSQLCiphers, "SQLCipher has one cipher"),
        arguments: [
            "PRAGMA cipher = 'chacha20'", "PRAGMA cipher = 'chacha20'; PRAGMA kdf_iter = 1000",
            "PRAGMA cipher = 'sqlcipher'", "PRAGMA cipher = 'sqlcipher'; PRAGMA legacy = 4",
            "PRAGMA cipher = 'aes128cbc'", "PRAGMA cipher = 'aes256cbc'",
            "PRAGMA cipher = 'ascon128'", "PRAGMA cipher = 'rc4'",
        ],
        [(Keys.passphrase, Data("hunter2".utf8)), (nil, Keys.passphrase), (Keys.passphrase, nil)]
            as [(old: Data?, new: Data?)]
    )
    func theCipherIsThatOfTheSettings(settings: SQL, change: (old: Data?, new: Data?)) throws {
        try file.make(change.old, settings: settings)
        let before = try file.state(change.old, settings)
        try file.changeKey(from: change.old, settings: settings, to: change.new)
        #expect(try file.state(change.new, settings) == before)
        if change.new != nil, settings != "PRAGMA cipher = 'chacha20'" {
            #expect(throws: SQLiteError.self) { try file.state(change.new) }
        }
    }

    @Test(.enabled(if: Keys.areSQLCiphers, "only SQLCipher has these settings"))
    func settingsOfSQLCipherArePartOfBothKeys() throws {
        let settings = [
            "PRAGMA kdf_iter = 1000", "PRAGMA cipher_compatibility = 3",
            "PRAGMA cipher_plaintext_header_size = 32; "
                + "PRAGMA cipher_salt = \"x'000102030405060708090a0b0c0d0e0f'\"",
        ]
        for settings in settings {
            try? FileManager.default.removeItem(atPath: file.path)
            try file.make(Keys.passphrase, settings: settings)
            let before = try file.state(Keys.passphrase, settings)
            let new = Data("hunter2".utf8)
            try file.changeKey(from: Keys.passphrase, settings: settings, to: new)
            #expect(try file.state(new, settings) == before, "\(settings)")
        }

        try Connection(path: file.folder.path("plain")).execute("CREATE TABLE t(x)")
        for (name, old, new) in [("plain", nil, Keys.one), ("test.sqlite", Keys.one, nil)] {
            let error = sqliteError {
                try Connection.changeKey(
                    of: file.folder.path(name),
                    configuration: file.configuration(old, settings[0]),
                    to: new
                )
            }
            #expect(error?.resultCode == .misuse)
            #expect(error?.message.contains("cipherSettings") == true)
        }
    }

    @Test func functionsOfTheAppAreNotNeededForAnotherKey() throws {
        func open() throws -> Connection {
            let connection = try Connection(
                path: file.path,
                configuration: file.configuration(Keys.one)
            )
            try connection.addCollation(named: "mine") {
                $0 < $1 ? .orderedAscending : $0 == $1 ? .orderedSame : .orderedDescending
            }
            return connection
        }
        let connection = try open()
        try connection.execute(
            "CREATE TABLE c(x COLLATE mine UNIQUE); INSERT INTO c VALUES('a'), ('b')"
        )
        try connection.close()

        try file.changeKey(from: Keys.one, to: Keys.other)
        let error = sqliteError {
            try file.changeKey(from: Keys.other, to: nil)
        }
        #expect(error?.message.contains("mine") == true, "\(error?.message ?? "")")
        #expect(error?.message.hasSuffix("; the file still has the old key") == true)
        #expect(
            try Connection(path: file.path, configuration: file.configuration(Keys.other)).query(
                "SELECT count(*) FROM c"
            ) == 2
        )
    }

    @Test func virtualTablesStay() throws {
        for module in Capability.virtualTables {
            try? FileManager.default.removeItem(atPath: file.path)
            let connection = try Connection(path: file.path)
            try connection.execute("CREATE VIRTUAL TABLE v USING \(module)")
            try connection.execute("INSERT INTO v VALUES(1, 2, 3)")
            try connection.close()
            try Connection.changeKey(of: file.path, to: Keys.one)
            try file.changeKey(from: Keys.one, to: Keys.other)
            try file.changeKey(from: Keys.other, to: nil)
            let again = try Connection(path: file.path)
            try again.execute("INSERT INTO v VALUES(2, 2, 3)")
            #expect(try count("v", on: again) == 2)
        }
    }

    @Test func ownerPermissionsAndTheLinkStay() throws {
        try file.make(Keys.one)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        let link = file.folder.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
        try Connection.changeKey(of: link, configuration: file.configuration(Keys.one), to: nil)

        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file.path)
        #expect(try opens(link, with: nil))
    }
}
