import SQift

extension Notebook {
    struct Hit: ExpressibleByRow {
        let id: Int64
        let title: String
        let excerpt: String

        init(row: Row) throws {
            id = try row.get("id")
            title = try row.get("title")
            excerpt = try row.get("excerpt")
        }
    }

    func hits(for text: String, limit: Int = 20) throws -> [Hit] {
        try database.read { connection in
            try connection.query(
                """
                SELECT e.id, e.title, snippet(entry_index, 1, '', '', '…', 12) AS excerpt
                FROM entry_index i JOIN entries e ON e.id = i.rowid
                WHERE entry_index MATCH ?
                ORDER BY rank
                LIMIT ?
                """,
                text,
                limit
            )
        }
    }

    func countOfHits(for text: String) throws -> Int {
        try database.read { connection in
            try connection.query(
                "SELECT count(*) FROM entry_index WHERE entry_index MATCH ?",
                text
            )
        }
    }

    // MARK: People

    func mention(_ name: String, in entry: Int64) throws {
        try database.write { connection in
            let person: Int64 = try connection.query(
                """
                INSERT INTO people(name) VALUES(?)
                ON CONFLICT(name) DO UPDATE SET name = excluded.name
                RETURNING id
                """,
                name
            )
            try connection.run(
                "INSERT OR IGNORE INTO mentions(entry, person) VALUES(?, ?)",
                entry,
                person
            )
        }
    }

    func people(in entry: Int64) throws -> [String] {
        try database.read { connection in
            try connection.query(
                "SELECT person FROM entry_people WHERE entry = ? ORDER BY person",
                entry
            )
        }
    }

    func birthdays(inMonth month: Int) throws -> [(String, String?)] {
        try database.read { connection in
            try connection.query(
                """
                SELECT name, birthday FROM people
                WHERE strftime('%m', birthday) = printf('%02d', ?)
                """,
                month,
                as: (String, String?).self
            )
        }
    }

    func mentionCounts(atLeast minimum: Int) throws -> [String: Int] {
        try database.read { connection in
            try connection.query(
                """
                SELECT p.name, count(*) AS total
                FROM people p INNER JOIN mentions m ON m.person = p.id
                GROUP BY p.name
                HAVING total >= :minimum
                ORDER BY total DESC
                """,
                ["minimum": minimum]
            )
        }
    }

    /// The months with their moods, the last one first.
    func months(_ body: (String, Int, Double?) -> Void) throws {
        try database.read { connection in
            try connection.forEachRow(
                "SELECT month, entry_count, mood FROM month_summaries ORDER BY month DESC"
            ) { row in
                let month: String = try row.get("month")
                let count: Int = try row.get("entry_count")
                body(month, count, row["mood"])
            }
        }
    }

    func placeNames() throws -> [Int64: String] {
        try database.read { connection in
            try connection.query(
                "SELECT id, ifnull(trim(place), '') AS place FROM entries WHERE length(place) > 0"
            ) { row in
                (try row.get(0), try row.get(1))
            }
        }
    }
}
