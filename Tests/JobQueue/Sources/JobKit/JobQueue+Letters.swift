import SQift

extension JobQueue {
    /// The dead letters, the newest first.
    public func deadJobs(limit: Int = 100) async throws -> [Job] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT id, kind, payload, due_at, lease, attempts, last_error, dead_at FROM jobs
                WHERE dead_at IS NOT NULL ORDER BY dead_at DESC, id DESC LIMIT ?
                """,
                limit
            )
        }
    }

    /// Lets all dead letters be tried again from the first attempt on. Returns how many there were.
    @discardableResult public func reviveDeadJobs() async throws -> Int {
        let now = time()
        return try await database.write { connection in
            try connection.run(
                "UPDATE jobs SET dead_at = NULL, attempts = 0, due_at = ? WHERE dead_at IS NOT NULL",
                now
            )
        }
    }

    /// The jobs in whose kind, payload or last error all words occur, the best ones first. The last
    /// word may be incomplete.
    public func search(_ text: String, limit: Int = 100) async throws -> [Job] {
        let words = text.split { $0.isWhitespace || $0 == "\0" }
        guard !words.isEmpty else { return [] }
        // In quotation marks, an operator or a sign of the search's own language is a word too.
        let quoted = words.map { "\"\($0.replacing("\"", with: "\"\""))\"" }
        let expression = quoted.joined(separator: " ") + "*"

        return try await database.read { connection in
            try connection.query(
                """
                SELECT jobs.id, jobs.kind, jobs.payload, due_at, lease, attempts, jobs.last_error,
                    dead_at
                FROM jobs_index JOIN jobs ON jobs.id = jobs_index.rowid
                WHERE jobs_index MATCH ? ORDER BY rank LIMIT ?
                """,
                expression,
                limit
            )
        }
    }
}
