import Foundation
import SQift

let usage = """
    usage: SQiftBenchmarks [--list] [--only NAME]... [--repeats N] [--scale FACTOR]
                           [--json]
           SQiftBenchmarks --page FILE < RESULTS
           SQiftBenchmarks --growth [--scale FACTOR]
           SQiftBenchmarks --scaling [--repeats N] [--scale FACTOR]

    Measures each workload against the C API in the same process, in turn, and prints nanoseconds
    an operation, the median and the quartiles of the ratios of neighbouring runs, and the limit.
    The last line is the geometric mean of all ratios.

      --list      print the workloads' names
      --only      measure this one; may be repeated
      --repeats   how many runs of each side, 50 by default
      --scale     a factor for the number of operations; 1 is full size
      --json      print an object a line instead of the table
      --page      write the table of this page, Docs/Benchmarks.md, from the objects of one or more
                  runs with --json, which are read from standard input
      --scaling   measure reads a second of 1, 2, 4 and 8 threads instead, and of 8 tasks that
                  await them
      --growth    measure insert, scan and point read for 1 thousand to 10 million rows instead,
                  then a backup of 2 GB, and the peaks of memory
    """

struct UsageError: Error {}

struct Options {
    var isList = false
    var isJSON = false
    var isGrowth = false
    var isScaling = false
    var only: [String] = []
    var repeats = 50
    var scale = 1.0
    var page: String?

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value() throws -> String {
            guard let value = rest.popFirst() else { throw UsageError() }
            return value
        }
        func number<T: LosslessStringConvertible & Comparable>(above minimum: T) throws -> T {
            guard let number = T(try value()), number > minimum else { throw UsageError() }
            return number
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--list": isList = true
            case "--json": isJSON = true
            case "--growth": isGrowth = true
            case "--scaling": isScaling = true
            case "--only": only.append(try value())
            case "--repeats": repeats = try number(above: 0)
            case "--scale": scale = try number(above: 0)
            case "--page": page = try value()
            default: throw UsageError()
            }
        }
        let names = allWorkloads().map(\.name)
        guard only.allSatisfy(names.contains) else { throw UsageError() }
    }
}

/// Replaces the table of a page by that of the results in standard input.
func writePage(_ path: String) throws {
    var results: [WorkloadResult] = []
    while let line = readLine() {
        results.append(try JSONDecoder().decode(WorkloadResult.self, from: Data(line.utf8)))
    }
    let old = try String(contentsOfFile: path, encoding: .utf8)
    try page(old, with: results).write(toFile: path, atomically: true, encoding: .utf8)
}

/// Runs the benchmarks that the arguments ask for, and returns the exit code.
func runBenchmarks(_ arguments: [String]) -> Int32 {
    do {
        let options = try Options(arguments)
        if options.isList {
            for workload in allWorkloads() {
                print(workload.name)
            }
            return 0
        }
        if options.isGrowth {
            try measureGrowth(scale: options.scale)
            return 0
        }
        if options.isScaling {
            try measureScaling(repeats: options.repeats, scale: options.scale)
            return 0
        }
        if let page = options.page {
            try writePage(page)
            return 0
        }
        if !options.isJSON {
            print(Measurement.heading)
        }
        var measurements: [Measurement] = []
        for workload in allWorkloads()
        where options.only.isEmpty || options.only.contains(workload.name) {
            let measurement = try workload.measure(repeats: options.repeats, scale: options.scale)
            measurements.append(measurement)
            print(options.isJSON ? try measurement.result.json : measurement.line)
            fflush(nil)
        }

        if !options.isJSON {
            print(measurements.geometricMeanLine)
        }
        return 0
    } catch is UsageError {
        FileHandle.standardError.write(Data((usage + "\n").utf8))
        return 2
    } catch {
        FileHandle.standardError.write(Data("SQiftBenchmarks: \(error)\n".utf8))
        return 1
    }
}

exit(runBenchmarks(Array(CommandLine.arguments.dropFirst())))
