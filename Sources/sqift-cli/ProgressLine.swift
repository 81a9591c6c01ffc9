import Foundation
import SQift

/// Shows the progress of a backup: as a bar on a terminal, otherwise as a line for each tenth of
/// the backup. It also sleeps to keep the backup within a rate.
struct ProgressLine: Sendable {
    let pagesPerStep: Int
    let pageSize: Double
    /// In bytes per second.
    let rate: Double
    private let start = DispatchTime.now().uptimeNanoseconds
    private let cancellation = DispatchSemaphore(value: 0)

    init(pagesPerStep: Int, pageSize: Double, rate: Double) {
        self.pagesPerStep = pagesPerStep
        self.pageSize = pageSize
        self.rate = rate
    }

    func show(_ progress: Backup.Progress) {
        let bytes = Double(progress.completedPageCount) * pageSize
        let secondsAhead = bytes / rate - elapsedSeconds
        if secondsAhead > 0 {
            _ = cancellation.wait(timeout: .now() + secondsAhead)
        }
        let isDone = progress.remainingPageCount == 0
        guard isDone || showsMoreThanBefore(progress) else { return }

        let line = line(for: progress, bytesPerSecond: bytes / max(elapsedSeconds, 1e-6))
        guard Terminal.isInteractive else {
            Terminal.printError(line)
            return
        }
        let length = Int(progress.fractionCompleted * 24)
        let bar = String(repeating: "#", count: length)
        let rest = String(repeating: ".", count: 24 - length)
        // A line that wraps couldn't be replaced. The last column stays free, since the terminal
        // would erase a character there.
        let text = "[\(bar)\(rest)] \(line)".prefix(Terminal.width - 1)
        // The cursor stays at the start of the line, so that the next output replaces the bar.
        Terminal.write("\r\(text)\u{1B}[K\(isDone ? "\n" : "\r")")
    }

    /// Ends the sleep, from another thread.
    func wake() {
        cancellation.signal()
    }

    private var elapsedSeconds: Double {
        Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
    }

    /// Whether the last step completed another half per cent on a terminal, otherwise another
    /// tenth.
    private func showsMoreThanBefore(_ progress: Backup.Progress) -> Bool {
        let partCount: Double = Terminal.isInteractive ? 200 : 10
        let pagesBefore = Double(progress.completedPageCount - pagesPerStep)
        let fractionBefore = pagesBefore / Double(max(progress.pageCount, 1))
        return floor(progress.fractionCompleted * partCount) > floor(fractionBefore * partCount)
    }

    private func line(for progress: Backup.Progress, bytesPerSecond: Double) -> String {
        let percent = (progress.fractionCompleted * 100).rounded(.down)
        let pages = counted(progress.pageCount, "page")
        let remainingBytes = Double(progress.remainingPageCount) * pageSize
        let seconds = Int((remainingBytes / max(bytesPerSecond, 1)).rounded(.up))
        let time = "\(seconds / 60):\(seconds % 60 / 10)\(seconds % 10)"
        return String(format: "%3.0f %%  ", percent)
            + "\(progress.completedPageCount) of \(pages)"
            + String(format: "  %.1f MB/s  ", bytesPerSecond / 1e6)
            + "\(time) left"
    }
}
