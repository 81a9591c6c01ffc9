import Foundation
import SQift
import Testing

@Suite struct SmokeTests {
    @Test func basics() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try Database(path: folder.appendingPathComponent("a.db").path)
        try await database.write { try $0.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1)") }
        let n: Int = try await database.read { try $0.query("SELECT count(*) FROM t") }
        #expect(n == 1)
        let task = Task.detached {
            try await database.write { connection in
                try connection.run("INSERT INTO t VALUES(2)")
                let _: Int = try connection.query("WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n")
            }
        }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let m: Int = try await database.read { try $0.query("SELECT count(*) FROM t") }
        #expect(m == 1)
        let snapshot = try await database.snapshot()
        try await database.write { try $0.run("INSERT INTO t VALUES(2)") }
        let o: Int = try await snapshot.read { try $0.query("SELECT count(*) FROM t") }
        #expect(o == 1)
        try await database.suspend()
        await #expect(throws: AccessError.self) { try await database.read { _ in } }
        database.resume()
        try await database.read { _ in }
        try await database.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.db"])
        let memory = try Database()
        try await memory.write { try $0.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1)") }
        let p: Int = try await memory.read { try $0.query("SELECT count(*) FROM t") }
        #expect(p == 1)
    }
}
