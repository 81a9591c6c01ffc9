import Foundation

/// What one process found for a workload: an object of `--json`.
struct WorkloadResult: Codable {
    let workload: String
    /// The medians for one operation.
    let rawNanoseconds: Double
    let sqiftNanoseconds: Double
    /// The ratio of each two neighbouring runs.
    let ratios: [Double]

    var ratio: Double { median(ratios) }

    private enum CodingKeys: String, CodingKey {
        case workload
        case rawNanoseconds = "raw_ns"
        case sqiftNanoseconds = "sqift_ns"
        case ratios
    }

    /// One line.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}

struct PageError: Error, CustomStringConvertible {
    let description: String
}

/// Docs/Benchmarks.md with the table that these results give: the median of the processes' ratios,
/// in bold if it is beyond its limit, and the quartiles of all their neighbouring runs.
func page(_ page: String, with results: [WorkloadResult]) throws -> String {
    let results = Dictionary(grouping: results, by: \.workload)
    let rows = try allWorkloads().map { workload in
        guard let own = results[workload.name] else {
            throw PageError(description: "there is no result for \(workload.name)")
        }
        let ratio = String(format: "%.2f", median(own.map(\.ratio)))
        let isBeyond = Double(ratio) ?? 0 > workload.limit
        let cells = [
            isBeyond ? "**\(ratio)**" : ratio,
            quartiles(own.flatMap(\.ratios)),
            "\(workload.limit)",
        ]
        return "| \(workload.name) | \(workload.what) | \(cells.joined(separator: " | ")) |"
    }

    let lines = page.components(separatedBy: "\n")
    let isRow = { (line: String) in line.hasPrefix("|") }
    guard let heading = lines.firstIndex(where: isRow) else {
        throw PageError(description: "the page has no table to replace")
    }
    // The heading and the line below it stay.
    let first = heading + 2
    let rest = lines.dropFirst(first).drop(while: isRow)
    return (lines[..<first] + rows + rest).joined(separator: "\n")
}

/// `1.02 to 1.11`: between these is the middle half of the values.
func quartiles(_ values: [Double]) -> String {
    let sorted = values.sorted()
    let quartile = { (part: Double) in
        let position = part * Double(sorted.count - 1)
        let lower = sorted[Int(position)]
        let upper = sorted[Int(position.rounded(.up))]
        return lower + (upper - lower) * position.truncatingRemainder(dividingBy: 1)
    }
    return String(format: "%.2f to %.2f", quartile(0.25), quartile(0.75))
}
