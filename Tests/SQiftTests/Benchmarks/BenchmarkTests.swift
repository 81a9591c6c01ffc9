import Foundation
import SQiftTestSupport
import Testing

@testable import SQiftBenchmarks

struct BenchmarkTests {
    private static let names = allWorkloads().map(\.name)

    @Test(arguments: names)
    func bothSidesComputeTheSame(name: String) throws {
        let workload = try #require(allWorkloads().first { $0.name == name })
        let measurement = try workload.measure(repeats: 1, scale: 0.001)

        #expect(measurement.result.rawNanoseconds > 0)
        #expect(measurement.result.sqiftNanoseconds > 0)
    }

    // MARK: The page

    private static func benchmarksPage() throws -> String {
        let file = packageFolder.appendingPathComponent("Docs/Benchmarks.md")
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// The cells of a workload's row.
    private static func row(of workload: String) throws -> [String] {
        let rows = try benchmarksPage().split(separator: "\n")
            .filter { $0.hasPrefix("| \(workload) |") }
        #expect(rows.count == 1)
        return try #require(rows.first).components(separatedBy: " | ")
    }

    private static func ratio(in row: [String]) throws -> Double {
        try #require(Double(row[2].filter { $0 != "*" }))
    }

    private func result(_ workload: String, _ ratios: [Double]) -> WorkloadResult {
        WorkloadResult(
            workload: workload,
            rawNanoseconds: 1,
            sqiftNanoseconds: 1,
            ratios: ratios
        )
    }

    @Test(arguments: names)
    func thePageHasTheWorkload(name: String) throws {
        let workload = try #require(allWorkloads().first { $0.name == name })
        let row = try Self.row(of: name)

        #expect(row[1] == workload.what)
        #expect(row.last == "\(workload.limit) |")
        // The page can't hide what is beyond its limit.
        #expect(row[2].hasPrefix("**") == (try Self.ratio(in: row) > workload.limit))
    }

    @Test func thePageIsMadeFromResults() throws {
        let ratios = [[1, 1.01, 1.02], [1.5, 2, 2.1], [1.2, 1.3, 1.4]]
        let results = Self.names.flatMap { name in
            ratios.map { result(name, $0) }
        }
        let old = try Self.benchmarksPage()
        let new = try page(old, with: results)

        let oldLines = old.components(separatedBy: "\n")
        let newLines = new.components(separatedBy: "\n")
        #expect(oldLines.count == newLines.count)
        for (old, new) in zip(oldLines, newLines) {
            guard let workload = allWorkloads().first(where: { new.hasPrefix("| \($0.name) |") })
            else {
                #expect(old == new)
                continue
            }
            let ratio = workload.limit < 1.3 ? "**1.30**" : "1.30"
            #expect(new.hasSuffix(" | \(ratio) | 1.02 to 1.50 | \(workload.limit) |"))
        }
    }

    /// Rows of other pages by how they begin, and the workload whose ratio they end with.
    @Test(arguments: [
        ("Performance", "| insert a row with a prepared statement |", ["insert-prepared"]),
        ("Performance", "| the same with `connection.run` |", ["insert-convenience"]),
        ("Performance", "| the same from an `Encodable` struct |", ["insert-encoding"]),
        ("Performance", "| read one column into an array |", ["ints-column"]),
        ("Performance", "| read ten columns by index; by name |", ["ints-index", "ints-name"]),
        ("Performance", "| make structs with `init(row:)` |", ["structs-hand"]),
        ("Performance", "| make `Decodable` structs |", ["structs-codable"]),
        ("Performance", "| make tuples |", ["structs-tuple"]),
        ("Performance", "| read one row by key through a `Database` |", ["point-read"]),
        ("Performance", "| commit a row through a `Database` |", ["commits-full"]),
        ("Querying", "| a value, an optional, an array, a dictionary |", ["ints-column"]),
        ("Querying", "| your own type, from many queries |", ["structs-hand"]),
        ("Querying", "| the same, without writing the initialiser |", ["structs-codable"]),
        ("Querying", "| a few columns, for one place in the program |", ["structs-tuple"]),
        ("Querying", "| one row at a time, when you ask for it |", ["cursor-ints"]),
    ])
    func otherPagesRoundTheSameRatios(page: String, start: String, workloads: [String]) throws {
        let ratios = try workloads.map { name in
            String(format: "%.1f", try Self.ratio(in: Self.row(of: name)))
        }

        let file = packageFolder.appendingPathComponent("Docs/\(page).md")
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix(start) }
        #expect(rows.count == 1)
        #expect(rows.first?.hasSuffix(" | \(ratios.joined(separator: "; ")) |") == true)
    }

    @Test func aPageNeedsEachWorkloadAndATable() throws {
        let results = Self.names.map { result($0, [1]) }
        #expect(throws: PageError.self) { try page("no table", with: results) }
        let old = try Self.benchmarksPage()
        #expect(throws: PageError.self) { try page(old, with: Array(results.dropFirst())) }
    }

    @Test(arguments: [
        ([1], "1.00 to 1.00"), ([1, 2], "1.25 to 1.75"), ([4, 1, 3, 2, 5], "2.00 to 4.00"),
    ])
    func quartilesDivideTheValues(values: [Double], expected: String) {
        #expect(quartiles(values) == expected)
    }

    // MARK: The harness

    @Test func aDifferenceIsAnError() {
        let workload = Workload(name: "wrong", what: "", limit: 1, operations: 1) { _ in
            Sides(raw: { 1 }, sqift: { 2 })
        }
        #expect(throws: Difference.self) { try workload.measure(repeats: 1, scale: 1) }
    }

    @Test func theRatioIsTheMedianOfNeighbouringRuns() throws {
        let workload = try #require(allWorkloads().first { $0.name == "ints-column" })
        let result = try workload.measure(repeats: 5, scale: 0.001).result

        #expect(result.ratios.count == 5)
        #expect(result.ratio == result.ratios.sorted()[2])
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
        ["--scale", "-1"], ["--page"],
        ["what"],
    ])
    func aWrongCallIsAnsweredWithTheUsage(arguments: [String]) {
        #expect(runBenchmarks(arguments) == 2)
    }

    @Test func theLineOfJSONIsAnObject() throws {
        let measurement = try #require(allWorkloads().last).measure(repeats: 2, scale: 0.001)
        let json = try measurement.result.json
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]

        #expect(!json.contains("\n"))
        #expect(
            Set(try #require(object).keys) == [
                "workload", "raw_ns", "sqift_ns", "ratios",
            ]
        )
        #expect(measurement.result.ratios.count == 2)
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
