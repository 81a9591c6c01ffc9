// What was written for another tool, or is half a comment, would run otherwise than it is meant.
extension Migration {
    /// The words after the hyphens of a comment with which a tool begins the part of a file that
    /// undoes the migration.
    private static let downMarkers = [
        "migrate:down",  // dbmate
        "+goose down",
        "+migrate down",  // sql-migrate
        "+micrate down",
        "rambler down",
        "create above / drop below",  // tern
        "//@undo",  // MyBatis Migrations
        "!downs",  // Play
        "==== down",  // shmig
    ].map { $0.split(separator: " ") }

    /// Whether the name says that the file undoes a migration.
    var isDownFile: Bool {
        file != nil && [".down", ".undo"].contains { name.lowercased().hasSuffix($0) }
    }

    /// Throws if the migration must not run because it wouldn't do what its author means.
    func refuseHalfUnderstood() throws {
        if isDownFile {
            throw error(.unusableFile, "\(name).sql \(Self.onlyForward)")
        }
        guard let sql else { return }
        for comment in sql.comments {
            if comment.isOpen {
                throw unusable(comment, "begins a comment with /* that doesn't end: add */")
            }
            let words = comment.text.drop { "- \t".contains($0) }.lowercased()
                .split { $0.isWhitespace }
            if comment.beginsLine, Self.downMarkers.contains(where: { words.starts(with: $0) }) {
                throw unusable(
                    comment,
                    "begins a down part, which SQift would run too: delete it "
                        + "(\(comment.text.inOneLine))"
                )
            }
        }
    }

    /// Why a down migration is no migration.
    static let onlyForward = "is a down migration, but migrations run only forward: move it away"

    private func unusable(_ comment: SQLComment, _ problem: String) -> MigratorError {
        let place = "migration \(name) (\(place(at: comment.offset)))"
        return error(.unusableFile, "\(place) \(problem)")
    }
}
