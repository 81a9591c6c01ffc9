import Foundation

/// Something to measure, which the C API and SQift both do.
struct Workload {
    let name: String
    let what: String
    /// The highest accepted ratio of SQift's time to the C API's.
    let limit: Double
    /// How many operations one run does at full size: few enough for a short run, see
    /// `measure(repeats:scale:)`.
    let operations: Int
    /// Makes the two sides for a number of operations. Each side returns a checksum of its work.
    let make: (Int) throws -> Sides
}

struct Sides {
    let raw: () throws -> Int64
    let sqift: () throws -> Int64
    /// The C API with SQLITE_STATIC. That is right only if the memory outlives the run.
    var rawStatic: (() throws -> Int64)?
}

struct Measurement {
    let workload: Workload
    let result: WorkloadResult
    let ratioToStatic: Double?

    static let heading =
        "workload               raw ns  SQift ns  ratio   quartiles    limit  to SQLITE_STATIC"

    var line: String {
        workload.name.padding(toLength: 19, withPad: " ", startingAt: 0)
            + String(format: "%10.1f%10.1f", result.rawNanoseconds, result.sqiftNanoseconds)
            + String(format: "%7.2f   ", result.ratio)
            + quartiles(result.ratios)
            + String(format: "%7.2f", workload.limit)
            + (result.ratio > workload.limit ? " over" : "     ")
            + (ratioToStatic.map { String(format: "%7.2f", $0) } ?? "")
    }
}

extension Sequence<Measurement> {
    /// The last line of the table: the geometric mean of all ratios, which weighs a workload that
    /// takes twice as long as the C API like one that takes half as long.
    var geometricMeanLine: String {
        "geometric mean".padding(toLength: 39, withPad: " ", startingAt: 0)
            + String(format: "%7.2f", geometricMean(map(\.result.ratio)))
    }
}

/// The two sides computed something different.
struct Difference: Error, CustomStringConvertible {
    let workload: String
    let description: String
}

extension Workload {
    /// Runs both sides in turn, after a warm-up, and compares their checksums.
    ///
    /// The ratio is the median of those of neighbouring runs, not the quotient of the median times.
    /// The speed of a machine, above all of a virtual one, can change within seconds, and that
    /// slows both of two short runs, or neither.
    func measure(repeats: Int, scale: Double) throws -> Measurement {
        let count = max(1, Int(Double(operations) * scale))
        let sides = try make(count)
        _ = try (sides.raw(), sides.sqift(), sides.rawStatic?())

        var raw: [Double] = []
        var sqift: [Double] = []
        var ratios: [Double] = []
        var ratiosToStatic: [Double] = []
        for _ in 0..<repeats {
            let (rawTime, expected) = try time(sides.raw)
            let (sqiftTime, result) = try time(sides.sqift)
            guard result == expected else {
                throw Difference(
                    workload: name,
                    description: "\(name): raw \(expected), SQift \(result)"
                )
            }
            raw.append(rawTime)
            sqift.append(sqiftTime)
            ratios.append(sqiftTime / rawTime)
            if let rawStatic = sides.rawStatic {
                ratiosToStatic.append(sqiftTime / (try time(rawStatic).nanoseconds))
            }
        }
        let result = WorkloadResult(
            workload: name,
            rawNanoseconds: median(raw) / Double(count),
            sqiftNanoseconds: median(sqift) / Double(count),
            ratios: ratios
        )
        return Measurement(
            workload: self,
            result: result,
            ratioToStatic: ratiosToStatic.isEmpty ? nil : median(ratiosToStatic)
        )
    }
}

func time<T>(_ body: () throws -> T) rethrows -> (nanoseconds: Double, result: T) {
    let start = DispatchTime.now().uptimeNanoseconds
    let result = try body()
    return (Double(DispatchTime.now().uptimeNanoseconds - start), result)
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

func geometricMean(_ values: [Double]) -> Double {
    exp(values.map { log($0) }.reduce(0, +) / Double(values.count))
}
