import GarageKit

@main
struct GarageCommand {
    static func main() async throws {
        let path = CommandLine.arguments.dropFirst().first ?? "garage.sqlite"
        let garage = try Garage(path: path)
        let beetle = try await garage.addCar(named: "Beetle", year: 1964)
        try await garage.addRepairs([12_000, 4_550], to: beetle, on: "2026-03-14")
        try await garage.backUp(to: path + ".backup")
        print(try await garage.cars().count, try await garage.costs())
    }
}
