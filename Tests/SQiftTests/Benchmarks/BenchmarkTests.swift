import Foundation
import Testing

@testable import SQiftBenchmarks

@Suite(.timeLimit(.minutes(20))) struct BenchmarkTests {
    private static let names = allWorkloads().map(\.name)

    @Test(arguments: names)
    func bothSidesComputeTheSame(name: String) throws {
        let workload = try #require(allWorkloads().first { $0.name == name })
        let measurement = try workload.measure(repeats: 1, scale: 0.001)

        #expect(measurement.rawNanoseconds > 0)
        #expect(measurement.sqiftNanoseconds > 0)
    }

    @Test(arguments: names)
    func everyWorkloadHasItsLimitInTheDocument(name: String) throws {
        let page = packageFolder.appendingPathComponent("Docs/Benchmarks.md")
        let workload = try #require(allWorkloads().first { $0.name == name })
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| \(name) |") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }

        #expect(rows.count == 1)
        let row = try #require(rows.first)
        let limit = try #require(row.last.flatMap { Double($0) })
        #expect(limit == workload.limit)
        let ratio = try #require(Double(row[2]))
        #expect(ratio <= limit)
    }

    @Test func aDifferenceIsAnError() {
        let workload = Workload(name: "wrong", what: "", limit: 1, operations: 1) { _ in
            Sides(raw: { 1 }, sqift: { 2 })
        }
        #expect(throws: Difference.self) { try workload.measure(repeats: 1, scale: 1) }
    }

    @Test func theMeanOfRatiosIsGeometric() {
        #expect(abs(geometricMean([0.5, 2]) - 1) < 1e-12)
        #expect(abs(geometricMean([1.2, 1.2, 1.2]) - 1.2) < 1e-12)
    }

    @Test func theOptionsAreRead() throws {
        let options = try Options([
            "--only", "dates", "--only", "ints-name", "--repeats", "3", "--json", "--scale", "0.5",
        ])

        #expect(options.only == ["dates", "ints-name"])
        #expect(options.repeats == 3)
        #expect(options.isJSON)
        #expect(options.scale == 0.5)
    }

    @Test(arguments: [
        ["--only"], ["--only", "nothing"], ["--repeats", "0"], ["--repeats", "x"],
        ["--scale", "-1"], ["--svg"],
        ["what"],
    ])
    func aWrongCallIsAnsweredWithTheUsage(arguments: [String]) {
        #expect(runBenchmarks(arguments) == 2)
    }

    @Test func theLineOfJSONIsAnObject() throws {
        let measurement = try #require(allWorkloads().last).measure(repeats: 1, scale: 0.001)
        let object =
            try JSONSerialization.jsonObject(with: Data(measurement.json.utf8)) as? [String: Any]

        #expect(
            Set(try #require(object).keys) == [
                "workload", "raw_ns", "sqift_ns", "ratio", "min", "max",
            ]
        )
        #expect(chart(of: [measurement]).contains(measurement.workload.name))
    }

    @Test(arguments: [
        0.0, 1, 951_782_399.999, 951_782_400, 1_709_164_800.5, 4_102_444_799.001, 32_503_679_999,
    ])
    func theDatesByHandAreRight(seconds: Double) throws {
        let sides = try dates(1)
        #expect(try sides.raw() == sides.sqift())
        let raw = try Raw()
        let statement = try raw.prepare("SELECT ?")
        rawBind(statement, 1, date: seconds)
        #expect(rawReadDate(statement) == seconds)
    }
}
