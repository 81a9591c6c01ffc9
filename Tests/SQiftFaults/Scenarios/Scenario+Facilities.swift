import Foundation
import SQift

extension Scenario {
    /// Blobs, images, copies by VACUUM.
    static var facilities: [Scenario] {
        [
            forEachJournal("blob", run: writeBlob),
            forEachJournal("vacuum-into", run: vacuumInto),
            forEachJournal("vacuum") { work, _ in
                let connection = try work.open()
                try connection.execute("VACUUM")
                try work.close(connection)
            },
            [
                Scenario(
                    name: "serialize",
                    needs: [.serialization],
                    prepare: { try $0.makeDatabase() },
                    run: serialize
                )
            ],
        ].flatMap(\.self)
    }

    private static func writeBlob(_ work: Workplace, _: String) throws {
        let connection = try work.open()
        try connection.transaction {
            try connection.run("UPDATE t SET x = ? WHERE a = 2", ZeroBlob(count: 9000))
            let blob = try connection.openBlob(table: "t", column: "x", rowID: 2)
            try blob.write(Data(repeating: 9, count: 5000), at: 4000)
            let read = try blob.read(at: 3999, count: 2)
            try expect(read == Data([0, 9]), "\(Array(read))")
            try blob.reopen(rowID: 3)
            try blob.write(Data([1, 2, 3]), at: 397)
            try blob.close()
        }
        work.promise()
        try work.close(connection)
    }

    private static func vacuumInto(_ work: Workplace, _: String) throws {
        let connection = try work.open()
        // A run before may have left a part of it.
        try? FileManager.default.removeItem(atPath: work.path("small"))
        try connection.vacuum(into: .onDisk(work.path("small")))
        let small = try work.open("small")
        try work.expectRows(40, k: 1, in: small)
        try work.close(small)
        try work.close(connection)
    }

    private static func serialize(_ work: Workplace) throws {
        let connection = try work.open()
        let image = try connection.serialize()
        let copy = try Connection(image: image)
        try work.expectRows(40, k: 1, in: copy)
        try copy.run("UPDATE t SET x = zeroblob(2000)")
        try work.close(copy)
        try work.close(connection)
    }
}
