import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Random nests of transactions, savepoints, loops over rows, interrupts and errors, some of which
/// are swallowed. What is stored afterwards is what the closures that returned have written,
/// whatever happened in between.
struct TransactionModelTests {
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state ^ (state >> 29)) &* 0x9E37_79B9_7F4A_7C15
        }
    }

    private final class Model {
        let connection: Connection
        var generator: Generator
        var lastNumber = 0

        init(seed: UInt64) throws {
            connection = try Connection()
            generator = Generator(state: seed)
            try connection.execute(
                "CREATE TABLE t(x); CREATE TABLE loop(x); INSERT INTO loop VALUES(1), (2), (3)"
            )
        }

        func pick(_ count: Int) -> Int {
            Int.random(in: 0..<count, using: &generator)
        }

        /// Does something, and adds to `written` what it has stored for good as far as the caller
        /// can tell.
        func act(_ depth: Int, _ written: inout [Int]) throws {
            var inner: [Int] = []
            switch pick(depth < 4 ? 8 : 5) {
            case 0, 1, 2:
                lastNumber += 1
                let number = lastNumber
                try connection.run("INSERT INTO t VALUES(?)", number)
                written.append(number)
            case 3:
                connection.interrupt()
            case 4:
                if pick(2) == 0 {
                    throw TestError()
                }
            case 5:
                try connection.transaction { try block(depth + 1, &inner) }
                written += inner
            case 6:
                try connection.savepoint(named: "s") { try block(depth + 1, &inner) }
                written += inner
            default:
                // What a row's closure stores by itself counts, whether or not the loop throws.
                defer { written += inner }
                try connection.forEachRow("SELECT x FROM loop") { _ in try block(depth + 1, &inner)
                }
            }
        }

        func block(_ depth: Int, _ written: inout [Int]) throws {
            for _ in 0...pick(5) {
                if pick(2) == 0 {
                    try act(depth, &written)
                } else {
                    do {
                        try act(depth, &written)
                    } catch {}
                }
            }
        }
    }

    @Test(arguments: 0..<8)
    func whatReturnedIsStoredAndNothingElse(part: Int) throws {
        for seed in 0..<250 {
            let model = try Model(seed: UInt64(part * 1000 + seed))
            var written: [Int] = []
            for _ in 0..<5 {
                do {
                    try model.act(0, &written)
                } catch {}
            }
            let stored: [Int] = try model.connection.query("SELECT x FROM t ORDER BY x")
            #expect(stored == written.sorted(), "seed \(part * 1000 + seed)")
            #expect(!model.connection.isInsideTransaction, "seed \(part * 1000 + seed)")
        }
    }
}
