import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The key of a compact copy.
@Suite(.encryption) struct VacuumKeyTests {
    private let folder: TemporaryFolder
    private let copy: StorageLocation

    init() throws {
        folder = try TemporaryFolder()
        copy = .onDisk(folder.path("copy"))
    }

    private func open(_ name: String, _ key: Data?) throws -> Connection {
        let connection = try Connection(path: folder.path(name), configuration: .init(key: key))
        try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES('open secret')")
        return connection
    }

    @Test(arguments: ["delete", "wal"])
    func anAttachedFileWithAnotherKeyIsNotCopied(journalMode: String) throws {
        let keys = [nil, Keys.one, Keys.other]
        for (number, mainKey) in keys.enumerated() {
            let main = try open("main \(number)", mainKey)
            for (otherNumber, key) in keys.enumerated() where key != mainKey {
                let other = try open("other \(number) \(otherNumber)", key)
                try other.execute("PRAGMA journal_mode = \(journalMode)")
                try other.close()
                let location = StorageLocation.onDisk(folder.path("other \(number) \(otherNumber)"))
                try main.attachDatabase(from: location, withName: "o", key: key ?? Data())
                let error = sqliteError { try main.vacuum(into: copy, database: "o") }
                #expect(error?.resultCode == .misuse)
                #expect(error?.message.contains("a connection of its own") == true)
                #expect(!FileManager.default.fileExists(atPath: copy.path))
                #expect(try main.query("SELECT x FROM o.t") == "open secret")
                try main.detachDatabase(named: "o")
            }
        }
    }

    @Test func aLockIsNoReasonToSpeakOfKeys() throws {
        let other = try open("other", nil)
        let main = try Connection(path: folder.path("main"))
        try main.attachDatabase(from: .onDisk(folder.path("other")), withName: "o")
        try other.execute("BEGIN EXCLUSIVE")
        let error = sqliteError { try main.vacuum(into: copy, database: "o") }
        #expect(error?.resultCode == .busy)
        try other.execute("ROLLBACK")
        try main.vacuum(into: copy, database: "o")
        #expect(try opens(copy.path, with: nil))
    }

    @Test func theCopyHasTheKeyOfItsSource() throws {
        for (name, key) in [("plain", nil), ("one", Keys.one)] {
            try open("other \(name)", key).close()
            let main = try open(name, key)
            try main.attachDatabase(from: .onDisk(folder.path("other \(name)")), withName: "o")
            for database in ["main", "MAIN", "o"] {
                try main.vacuum(into: copy, database: database)
                #expect(try opens(copy.path, with: key))
                try FileManager.default.removeItem(atPath: copy.path)
            }
        }
    }

    @Test func whatHasNoFileIsCopied() throws {
        let main = try open("main", Keys.one)
        try main.attachDatabase(from: .inMemory, withName: "memory")
        try main.execute("CREATE TABLE memory.t(x)")
        try main.vacuum(into: copy, database: "memory")
        #expect(try opens(copy.path, with: Keys.one))
        let unknown = sqliteError { try main.vacuum(into: copy, database: "unknown") }
        #expect(unknown?.message.contains("unknown") == true)
        try main.close()
        #expect(sqliteError { try main.vacuum(into: copy, database: "o") }?.resultCode == .misuse)
    }
}
