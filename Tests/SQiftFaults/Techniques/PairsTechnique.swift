import CSQift
import Foundation
import SQift

/// Where features meet: every pair of what a database can be, and each of these with what can be
/// done with it.
enum PairsTechnique: Technique {
    static let name = "pairs"
    static let summary = "every pair of locations, journals, keys, owners, …, with every operation"

    static func run(_ faultRun: FaultRun) throws {
        faultRun.showProgress("the table of rows")
        let table = try PairTable()
        try PairsRun(faultRun, table).run()
    }
}

/// The rows, which are the same in each run and with each SQLite.
private struct PairTable {
    struct Row {
        let combination: Combination
        /// Nil for an ordinary row.
        let senseless: SenselessPair.Outcome?
    }

    let rows: [Row]

    /// - Throws: `Broken` if a pair doesn't occur that makes sense.
    init() throws {
        let senseless = SenselessPair.all
        let array = CoveringArray(
            counts: allProperties.map { $0.allCases.count },
            forbidden: senseless.map { ($0.one, $0.other) }
        )
        let ordinary = array.rows.map { Combination(numbers: $0) }
        rows =
            senseless.flatMap { pair in
                pair.rows.map { Row(combination: $0, senseless: pair.outcome) }
            } + ordinary.map { Row(combination: $0, senseless: nil) }
        try Self.check(ordinary, senseless)
    }

    /// Each pair of values, and each value with each operation, occurs or is named as senseless.
    private static func check(_ rows: [Combination], _ senseless: [SenselessPair]) throws {
        let values = allProperties.indices.flatMap { PropertyValue.values(ofProperty: $0) }
        let excluded = Set(senseless.flatMap { [[$0.one, $0.other], [$0.other, $0.one]] })
        for one in values {
            let own = rows.filter { $0.contains(one) }
            for other in values where one.property != other.property {
                let occurs = own.contains { $0.contains(other) }
                try expect(
                    occurs != excluded.contains([one, other]),
                    "\(one.description) with \(other.description): "
                        + (occurs ? "senseless, but it occurs" : "no row has them")
                )
            }
            // An operation needs a value of each property that neither it nor `one` excludes.
            let partners = values.filter { !excluded.contains([one, $0]) }
                .filter { $0.property != one.property || $0 == one }
            for operation in PairOperation.all {
                let possible = partners.filter { !operation.absentWith.contains($0) }
                guard Set(possible.map(\.property)).count == allProperties.count else { continue }
                try expect(
                    own.contains { operation.exists(in: $0) },
                    "\(one.description): no row does \(operation.name)"
                )
            }
        }
    }
}

/// Runs rows, and reports what they find.
private final class PairsRun {
    private let faultRun: FaultRun
    private let table: PairTable
    private var operationCount = 0
    private var leftOut: [String: Int] = [:]
    private var knownDefects: [String: Int] = [:]

    init(_ faultRun: FaultRun, _ table: PairTable) {
        self.faultRun = faultRun
        self.table = table
    }

    func run() throws {
        warmUp()
        var generator = faultRun.generator(for: "pairs")
        let limit = 50
        faultRun.addAvailable(table.rows.count)
        if let point = faultRun.options.point {
            let parts = point.split(separator: "/", maxSplits: 1)
            guard let number = Int(parts[0]), table.rows.indices.contains(number) else {
                throw UsageError()
            }
            let names = parts.dropFirst().first?.components(separatedBy: ",")
            return try runRow(number, only: names)
        }
        let ordinary = table.rows.indices.filter { table.rows[$0].senseless == nil }
        let sample = faultRun.sample(ordinary.count, atMost: limit, using: &generator)
        let senseless = table.rows.indices.filter { table.rows[$0].senseless != nil }
        for number in senseless + sample.map({ ordinary[$0] }) {
            try runRow(number)
        }
        faultRun.note("\(operationCount) operations")
        for (reason, count) in leftOut.sorted(by: { $0.key < $1.key }) {
            faultRun.note("\(count) without \(reason)")
        }
        for (defect, count) in knownDefects.sorted(by: { $0.key < $1.key }) {
            faultRun.note("known: \(count) × \(defect)")
        }
    }

    /// What SQLite and Swift make once in a process is there afterwards.
    private func warmUp() {
        let folder = faultRun.folder + "/warm"
        let encryption: [Encryption] = Keys.areSupported ? [.none, .key] : [.none]
        for key in encryption {
            let row = Combination.usual.with([PropertyValue(key)])
            if let trial = try? PairTrial(row, in: folder) {
                PairOperation.all.filter { $0.exists(in: row) && $0.need?.isMet != false }
                    .forEach { _ = trial.attempt($0) }
                try? trial.end()
            }
        }
    }

    // MARK: Rows

    private func runRow(_ number: Int, only names: [String]? = nil) throws {
        let row = table.rows[number]
        faultRun.begin("\(number)")
        let combination = present(row.combination)
        if faultRun.options.point != nil {
            say("row \(number): \(combination.description)")
        }
        if row.senseless != nil, combination != row.combination {
            return
        }
        let folder = faultRun.folder + "/row"
        let use = ProcessUse()
        switch row.senseless {
        case nil, .absent: runOrdinary(number, combination, in: folder, only: names)
        case .refused(let refusal): tryRefused(number, combination, refusal, in: folder)
        case .harmless: tryHarmless(number, combination, in: folder)
        }
        _ = FileManager.default.changeCurrentDirectoryPath(faultRun.folder)
        var leaks = use.leaks()
        for _ in 0..<100 where !leaks.isEmpty {
            // Threads that have just ended may hold something for a moment.
            usleep(10_000)
            leaks = use.leaks()
        }
        if !leaks.isEmpty {
            report(number, combination, "end", leaks)
        }
    }

    /// The row with usual values in place of those that this SQLite lacks.
    private func present(_ combination: Combination) -> Combination {
        var row = combination
        for value in row.values {
            if let lack = Capability.lack(of: value) {
                leftOut[lack, default: 0] += 1
                row.set(PropertyValue(property: value.property, number: 0))
            }
        }
        if row.isHardened, row[Registration.self] != .none, !Capability.hardenedFunctions {
            leftOut["functions of hardened connections", default: 0] += 1
            row.set(PropertyValue(Registration.none))
            row.set(PropertyValue(SchemaCall.nothing))
        }
        return row
    }

    private func runOrdinary(
        _ number: Int,
        _ combination: Combination,
        in folder: String,
        only names: [String]?
    ) {
        var generator = SeededGenerator(state: UInt64(number))
        let operations = PairOperation.all.filter { $0.exists(in: combination) }
            .shuffled(using: &generator)
            .filter { names?.contains($0.name) ?? true }
        if faultRun.options.point != nil {
            say("operations: \(operations.map(\.name).joined(separator: ","))")
        }
        var trial: PairTrial?
        for operation in operations {
            faultRun.showProgress("\(number)/\(operation.name)")
            if let need = operation.need, !need.isMet {
                leftOut["\(need)", default: 0] += 1
                continue
            }
            do {
                let present = try trial ?? PairTrial(combination, in: folder)
                trial = present
                operationCount += 1
                let problems = present.attempt(operation)
                guard !problems.isEmpty else { continue }
                report(number, combination, operation.name, problems)
                // What follows begins anew.
                try? present.close()
                trial = nil
            } catch {
                return report(number, combination, "open", ["\(nameOfError(error)): \(error)"])
            }
        }
        do {
            try trial?.end()
        } catch {
            report(number, combination, "close", ["\(error)"])
        }
    }

    /// The error comes, at the opening or at one of the first uses.
    private func tryRefused(
        _ number: Int,
        _ combination: Combination,
        _ refusal: PairRefusal,
        in folder: String
    ) {
        do {
            let trial = try PairTrial(combination, in: folder)
            defer { try? trial.close() }
            for name in ["read", "write"] {
                for operation in PairOperation.all where operation.name == name {
                    operationCount += 1
                    try operation.run(trial)
                }
            }
            if refusal.isCertain {
                report(number, combination, "senseless", ["it wasn't refused: \(refusal)"])
            }
        } catch let error where refusal.matches(error) {
        } catch {
            let text = "\(nameOfError(error)): \(error)"
            report(number, combination, "senseless", ["another error than \(refusal): \(text)"])
        }
    }

    /// Whatever works or is refused, the program's functions aren't called by the schema.
    private func tryHarmless(_ number: Int, _ combination: Combination, in folder: String) {
        do {
            let site = PairSite(combination, in: folder)
            _ = try site.makeFiles(PairModel(for: combination))
            let subject = try Subject(site)
            let statements = [
                "SELECT * FROM served", "INSERT INTO served(id, a) VALUES(9, 'nine')",
                "UPDATE served SET a = 'other'", "DELETE FROM served",
            ]
            for sql in statements {
                operationCount += 1
                _ = try? subject.read { try $0.query(sql) as [Row] }
                _ = try? subject.write { try $0.execute(sql) }
                let count = site.callCount.withLock { $0 }
                if count > 0 {
                    let words = sql.split(separator: " ")[0]
                    report(number, combination, "hardened", ["\(words) called a function"])
                    break
                }
            }
            try subject.close()
        } catch let error as SQLiteError where error.message.contains("unsafe use of") {
        } catch {
            report(number, combination, "hardened", ["\(nameOfError(error)): \(error)"])
        }
    }

    private func report(
        _ number: Int,
        _ combination: Combination,
        _ operation: String,
        _ problems: [String]
    ) {
        let known = problems.compactMap { PairKnownDefect.first(of: $0, in: combination) }
        if let first = known.first, known.count == problems.count {
            knownDefects[first.summary, default: 0] += 1
            return
        }
        let point = operation == "end" ? "\(number)" : "\(number)/\(operation)"
        faultRun.fail(
            point,
            problems + ["in \(combination.description)"],
            kind: problems[0].withoutParticulars
        )
    }
}

extension String {
    /// Without what differs from row to row: numbers and paths.
    fileprivate var withoutParticulars: String {
        let words = split(separator: " ").filter { !$0.contains("/") }
        return String(words.joined(separator: " ").filter { !$0.isNumber }.prefix(90))
    }
}

/// What the SQLite in use has.
private enum Capability {
    /// Names what is missing for a value, if something is.
    static func lack(of value: PropertyValue) -> String? {
        for (values, name, isPresent) in table where values.contains(value) && !isPresent {
            return name
        }
        return nil
    }

    private static let table: [([PropertyValue], String, Bool)] = [
        (
            [
                PropertyValue(Encryption.key), PropertyValue(Encryption.keyWithSettings),
                PropertyValue(Attachments.withOtherKey),
            ],
            "encryption", Keys.areSupported
        ),
        ([PropertyValue(TableKind.strict)], "STRICT", takes("CREATE TABLE t(a TEXT) STRICT")),
        (
            [PropertyValue(TableKind.fullText)],
            "FTS5", takes("CREATE VIRTUAL TABLE t USING fts5(a)")
        ),
        (
            [PropertyValue(TableKind.rTree)],
            "R-trees", takes("CREATE VIRTUAL TABLE t USING rtree(a, b, c)")
        ),
        (
            [PropertyValue(Location.namedMemory)],
            "named memory", Scenario.Need.sharedMemory.isMet
        ),
    ]

    /// Whether a hardened connection takes functions after its first statement.
    static let hardenedFunctions: Bool = {
        var configuration = Connection.Configuration()
        configuration.hardened = true
        let connection = try? Connection(storageLocation: .inMemory, configuration: configuration)
        return (try? connection?.execute("SELECT count(*) FROM sqlite_schema")) != nil
            && (try? connection?.addFunction(named: "one") { (number: Int) in number }) != nil
    }()

    private static func takes(_ sql: String) -> Bool {
        (try? PlainDatabase(":memory:").execute(sql)) != nil
    }
}
