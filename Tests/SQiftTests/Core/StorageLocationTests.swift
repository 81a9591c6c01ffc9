// The library checks a location's name before it opens anything.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

struct StorageLocationTests {
    @Test func itsPathIsTheNameThatSQLiteKnows() {
        #expect(StorageLocation.onDisk("/a/b.sqlite").path == "/a/b.sqlite")
        #expect(StorageLocation.onDisk("file:a").path == "file:a")
        #expect(StorageLocation.inMemory.path == ":memory:")
        #expect(StorageLocation.temporary.path == "")
        #expect(StorageLocation.uri("file:a?mode=ro").path == "file:a?mode=ro")
    }

    @Test(arguments: [
        (StorageLocation.onDisk("/a/b.sqlite"), "/a/b.sqlite"),
        (.onDisk("file:a?mode=memory"), "./file:a?mode=memory"),
        (.onDisk("file"), "file"), (.onDisk("files:x"), "files:x"), (.onDisk("/file:a"), "/file:a"),
        (.inMemory, ":memory:"),
        (.temporary, ""), (.uri("file:a?mode=ro"), "file:a?mode=ro"),
        (.uri("file::memory:"), "file::memory:"),
    ])
    func aPathStaysAPathAndAURIIsVerbatim(location: StorageLocation, name: String) throws {
        #expect(try location.validatedName() == name)
    }

    @Test(arguments: [
        StorageLocation.onDisk(""), .onDisk(":memory:"), .onDisk("a\0b"), .uri("file:a\0b"),
        .onDisk("sqlite:a"), .onDisk("sqlite:///a/b"),
    ])
    func aNameThatWouldMeanSomethingElseIsRefused(location: StorageLocation) {
        expectSQLiteError(.misuse) { try location.validatedName() }
    }

    @Test(arguments: [
        ("sqlite:a.db", "use a.db"), ("sqlite://a/b.db", "use a/b.db"),
        ("sqlite:///a/b.db", "use /a/b.db"),
    ])
    func thePathInAnotherToolsURLIsNamed(url: String, words: String) throws {
        expectSQLiteError(.misuse, containing: words) { try Connection(path: url) }
        #expect(try StorageLocation.onDisk("./" + url).validatedName() == "./" + url)
    }

    @Test func locationsAreCompared() {
        #expect(StorageLocation.onDisk("a") == .onDisk("a"))
        #expect(StorageLocation.onDisk("a") != .uri("a"))
        #expect(Set<StorageLocation>([.inMemory, .inMemory, .temporary]).count == 2)
    }
}
