import Foundation
import SQift

func allWorkloads() -> [Workload] {
    [
        Workload(
            name: "open-close",
            what: "open and close a file database",
            limit: 1.05,
            operations: 2_000,
            make: openClose
        ),
        Workload(
            name: "select-1-cached",
            what: "`query(\"SELECT 1\")` through the cache, against a reused statement",
            limit: 2.2,
            operations: 200_000,
            make: selectOne
        ),
        Workload(
            name: "insert-prepared",
            what: "rows of four values, reused statement, one transaction",
            limit: 1.15,
            operations: 200_000,
            make: insertPrepared
        ),
        Workload(
            name: "insert-variadic",
            what: "the same with a literal nil among the values",
            limit: 1.5,
            operations: 200_000,
            make: insertVariadic
        ),
        Workload(
            name: "insert-convenience",
            what: "the same through `connection.run`, against a reused statement",
            limit: 1.4,
            operations: 200_000,
            make: insertConvenience
        ),
        Workload(
            name: "ints-column",
            what: "one column into `[Int64]`",
            limit: 1.15,
            operations: 1_000_000,
            make: intsColumn
        ),
        Workload(
            name: "ints-index",
            what: "rows of ten integers by index in a closure",
            limit: 1.30,
            operations: 200_000,
            make: intsIndex
        ),
        Workload(
            name: "ints-name",
            what: "the same by name, against the C API by index",
            limit: 1.8,
            operations: 200_000,
            make: intsName
        ),
        Workload(
            name: "structs-hand",
            what: "five columns by name into a struct, a date among them",
            limit: 1.5,
            operations: 200_000,
            make: structs
        ),
        Workload(
            name: "strings-column",
            what: "short strings into `[String]`",
            limit: 1.15,
            operations: 200_000,
            make: stringsColumn
        ),
        Workload(
            name: "blobs-column",
            what: "blobs of 1 KiB into `[Data]`",
            limit: 1.05,
            operations: 100_000,
            make: blobsColumn
        ),
        Workload(
            name: "dates",
            what: "dates written and read, against a format by hand",
            limit: 1.5,
            operations: 100_000,
            make: dates
        ),
    ]
}

func run() throws {
    var only: [String] = []
    var repeats = 7
    var scale = 1.0
    var iterator = CommandLine.arguments.dropFirst().makeIterator()
    while let argument = iterator.next() {
        switch argument {
        case "--list":
            for workload in allWorkloads() { print(workload.name) }
            return
        case "--only": only.append(iterator.next() ?? "")
        case "--repeats": repeats = iterator.next().flatMap { Int($0) } ?? repeats
        case "--scale": scale = iterator.next().flatMap { Double($0) } ?? scale
        default: break
        }
    }
    for workload in allWorkloads() where only.isEmpty || only.contains(workload.name) {
        let m = try workload.measure(repeats: repeats, scale: scale)
        print(
            workload.name.padding(toLength: 20, withPad: " ", startingAt: 0),
            String(
                format: "%9.1f %9.1f  %.2f (%.2f..%.2f) limit %.2f %@",
                m.rawNanoseconds,
                m.sqiftNanoseconds,
                m.ratio,
                m.lowest,
                m.highest,
                workload.limit,
                m.ratio > workload.limit ? "OVER" : ""
            ),
            m.ratioToStatic.map { String(format: "static %.2f", $0) } ?? ""
        )
    }
}

try run()
