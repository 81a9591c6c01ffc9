import Foundation

/// What another process of this program does: `--worker NAME FOLDER NUMBER`.
struct WorkerTask {
    let name: String
    let folder: String
    let number: Int

    /// Nil if these are the arguments of somebody else.
    init?(_ arguments: [String]) throws {
        guard arguments.first == "--worker" else { return nil }
        guard arguments.count == 4, let number = Int(arguments[3]) else { throw UsageError() }
        name = arguments[1]
        folder = arguments[2]
        self.number = number
    }

    static func arguments(_ name: String, in folder: String, number: Int) -> [String] {
        ["--worker", name, folder, "\(number)"]
    }

    func run() throws {
        if name == "soak" {
            return try soakInThisProcess(folder: folder, seconds: Double(number))
        }
        if name == "pairs" {
            return try SecondProcess.work(in: folder)
        }
        guard let victim = Victim.all.first(where: { $0.name == name }) else { throw UsageError() }
        try victim.work(folder, number)
    }
}
