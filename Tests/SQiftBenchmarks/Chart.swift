import Foundation

/// An SVG with a bar for each ratio, a tick for each limit, and a line at 1 for the C API.
func chart(of measurements: [Measurement]) -> String {
    let left = 170.0
    let unit = 200.0
    let row = 26.0
    let longest = measurements.map { max($0.ratio, $0.workload.limit) }.max() ?? 1
    let width = left + longest * unit + 60
    let height = Double(measurements.count) * row + 50
    var lines = [
        String(
            format:
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                + "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"13\">",
            width,
            height,
            width,
            height
        ),
        "<title>SQift's time as a multiple of the C API's</title>",
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
    ]
    func add(_ format: String, _ arguments: any CVarArg...) {
        lines.append(String(format: format, arguments: arguments))
    }
    for (index, measurement) in measurements.enumerated() {
        let y = Double(index) * row + 10
        let end = left + measurement.ratio * unit
        let tick = left + measurement.workload.limit * unit
        add(
            "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%@</text>",
            left - 8,
            y + 14,
            measurement.workload.name
        )
        add(
            "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"18\" fill=\"#4c78a8\"/>",
            left,
            y,
            end - left
        )
        add(
            "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.0f\" y2=\"%.0f\" "
                + "stroke=\"#e45756\" stroke-width=\"2\"/>",
            tick,
            tick,
            y - 2,
            y + 20
        )
        add(
            "<text x=\"%.0f\" y=\"%.0f\">%.2f</text>",
            max(end, tick) + 6,
            y + 14,
            measurement.ratio
        )
    }
    let bottom = height - 36
    add(
        "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"4\" y2=\"%.0f\" "
            + "stroke=\"black\" stroke-dasharray=\"3 3\"/>",
        left + unit,
        left + unit,
        bottom
    )
    add(
        "<text x=\"%.0f\" y=\"%.0f\">"
            + "time as a multiple of the C API's (dashed line); the limit is red</text>",
        left,
        bottom + 22
    )
    return (lines + ["</svg>", ""]).joined(separator: "\n")
}
