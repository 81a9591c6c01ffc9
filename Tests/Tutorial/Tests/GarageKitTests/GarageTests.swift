import SQift
import Testing

@testable import GarageKit

struct GarageTests {
    /// Each test has a database of its own, in memory.
    private let garage: Garage

    init() throws {
        garage = try Garage(Database.inMemory())
    }

    @Test func aCarGetsANumber() async throws {
        let car = try await garage.addCar(named: "Beetle", year: 1964)
        #expect(car == Car(id: 1, name: "Beetle", year: 1964))
        #expect(try await garage.cars(beginningWith: "Bee") == [car])
        #expect(try await garage.cars(beginningWith: "Fiat") == [])
    }

    @Test func repairsAreThereTogetherOrNotAtAll() async throws {
        let car = try await garage.addCar(named: "Beetle", year: nil)
        try await garage.addRepairs([100, 250], to: car, on: "2026-03-14")
        let unknown = Car(id: 99, name: "", year: nil)
        await #expect(throws: SQLiteError.self) {
            try await garage.addRepairs([100, 250], to: unknown, on: "2026-03-14")
        }
        #expect(try await garage.costs() == ["Beetle": 350])
    }
}
