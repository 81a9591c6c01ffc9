import Foundation
import SQift

struct Expense: Decodable, ExpressibleByRow, Sendable {
    let id: Int64
    let cents: Int
    let currency: String
    let purpose: String?
    let city: String
}

/// What was paid, and where.
@MainActor final class ExpenseModel {
    private(set) var expenses: [Expense] = []
    private(set) var sums: [String: Int] = [:]
    private(set) var days: [(day: String, cents: Int)] = []
    private(set) var average: Double?

    private let database: Database

    init(database: Database) {
        self.database = database
    }

    func load(currency: String) async throws {
        expenses = try await database.read { connection in
            try connection.query(
                """
                SELECT e.id, e.cents, e.currency, e.purpose, s.city
                FROM expenses e INNER JOIN stops s ON s.id = e.stop
                WHERE e.currency = ?
                ORDER BY e.paid_at DESC
                """,
                currency
            )
        }
        average = try await database.read { connection in
            try connection.query("SELECT avg(cents) FROM expenses WHERE currency = ?", currency)
        }
    }

    func loadSums() throws {
        var found: [(day: String, cents: Int)] = []
        try database.read { connection in
            sums = try connection.query(
                "SELECT currency, sum(cents) FROM expenses GROUP BY currency ORDER BY currency"
            )
            try connection.forEachRow(
                """
                SELECT substr(paid_at, 1, 10) AS day, sum(cents) AS cents
                FROM expenses
                GROUP BY substr(paid_at, 1, 10)
                """
            ) { row in
                found.append((day: try row.get("day"), cents: try row.get("cents")))
            }
        }
        days = found
    }

    func pay(_ cents: Int, at stop: Stop, for purpose: String?) async throws {
        try await database.write { connection in
            try connection.run(
                "INSERT INTO expenses(stop, cents, purpose, paid_at) VALUES(?, ?, ?, ?)",
                stop.id,
                cents,
                purpose,
                Date()
            )
        }
    }

    func correct(_ expense: Expense, to cents: Int) async throws -> Int {
        try await database.write { connection in
            let old: Int = try connection.query(
                "SELECT cents FROM expenses WHERE id = ?",
                expense.id
            )
            let statement = try connection.prepare(
                "UPDATE expenses SET cents = :cents, purpose = :purpose WHERE id = :id"
            )
            try statement.bind(["cents": cents, "purpose": expense.purpose, "id": expense.id]).run()
            return cents - old
        }
    }

    /// The city in which the most was paid.
    func dearestCity() throws -> String? {
        let dearest = try database.read { connection in
            try connection.query(
                """
                SELECT s.city, sum(e.cents) FROM stops s, expenses e
                WHERE e.stop = s.id
                GROUP BY s.city
                ORDER BY sum(e.cents) DESC LIMIT 1
                """,
                as: (String, Int).self
            ).first
        }
        return dearest?.0
    }
}
