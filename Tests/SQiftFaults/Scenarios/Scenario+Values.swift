import Foundation
import SQift

extension Scenario {
    /// Values of each type go in and come out.
    static var values: [Scenario] {
        [
            Scenario(
                name: "values",
                prepare: { work in
                    let connection = try work.open()
                    try connection.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, value)")
                },
                run: storeValues
            )
        ]
    }

    private static func storeValues(_ work: Workplace) throws {
        let connection = try work.open()
        func store<T: Bindable & Extractable & Equatable>(_ id: Int, _ value: T) throws {
            try connection.run("INSERT OR REPLACE INTO v VALUES(?, ?)", id, value)
            let read: T = try connection.query("SELECT value FROM v WHERE id = ?", id)
            try expect(read == value, "\(read) instead of \(value)")
        }
        try connection.transaction {
            try store(1, Int64.min)
            try store(2, 0.1)
            try store(3, true)
            try store(4, "a\0b é" + String(repeating: "long", count: 300))
            try store(5, Data(repeating: 0xff, count: 5000))
            try store(6, Data())
            try store(7, Date(timeIntervalSince1970: 1_234_567.125))
            try store(8, UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8") ?? UUID())
            try store(9, Decimal(string: "0.1") ?? 0)
            try store(10, URL(fileURLWithPath: "/a/b"))
            let list = ArrayBinding(elements: ["one", "two"])
            try connection.run("INSERT OR REPLACE INTO v VALUES(11, ?)", list)
            let read: ArrayBinding<String> = try connection.query(
                "SELECT value FROM v WHERE id = 11"
            )
            try expect(read.elements == list.elements, "\(read.elements)")
            try connection.run("INSERT OR REPLACE INTO v VALUES(?, ?)", [12, nil] as [Int?])
        }
        work.promise()
        try work.close(connection)
    }
}
