import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct Car {
    let name: String
    let price: Int
}

/// The blocks of Docs/Performance.md.
struct PerformanceDocumentTests {
    private let connection: Connection
    private let cars = [Car(name: "Audi", price: 52_642), Car(name: "Skoda", price: 9_000)]

    init() throws {
        connection = try Connection()
        try connection.execute("CREATE TABLE cars(name TEXT, price INTEGER)")
    }

    @Test func manyWritesAndReads() throws {
        try connection.transaction(transactionType: .immediate) {
            let insert = try connection.prepare("INSERT INTO cars(name, price) VALUES(?, ?)")
            for car in cars {
                try insert.bind(car.name, car.price).run()
            }
        }
        let names = ["Skoda", "Lada"]
        let found = try connection.transaction {
            try names.map { name in
                try connection.query("SELECT price FROM cars WHERE name = ?", name) as Int?
            }
        }
        let prices: [Int] = try connection.query("SELECT price FROM cars")
        var total = 0
        try connection.forEachRow("SELECT name, price FROM cars") { row in
            total += try row.get(1)
        }

        #expect(found == [9_000, nil])
        #expect(prices == [52_642, 9_000])
        #expect(total == 61_642)
    }
}
