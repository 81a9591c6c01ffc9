// What was written for another tool, or is half a comment, would run otherwise than it is meant.
extension Migration {
    /// The comments with which tools begin the part of a file that undoes the migration: dbmate,
    /// goose, sql-migrate, micrate, rambler, tern, MyBatis Migrations, Play and shmig.
    private static let downMarker =
        #"""
        ^-+[ \t]*(migrate:down|\+(goose|migrate|micrate)[ \t]+down|rambler[ \t]+down\#
        |create above / drop below|//@undo|!downs|====[ \t]+down)(?!\S)
        """#

    /// Whether the name says that the file undoes a migration.
    var isDownFile: Bool {
        file != nil && [".down", ".undo"].contains(where: name.lowercased().hasSuffix)
    }

    /// Why a down migration is no migration.
    static let onlyForward = "is a down migration, but migrations run only forward: move it away"

    /// Throws if the migration must not run because it wouldn't do what its author means.
    func refuseHalfUnderstood() throws {
        if isDownFile {
            throw error(.unusableFile, "\(name).sql \(Self.onlyForward)")
        }
        guard let sql else { return }
        for comment in sql.comments {
            let subject = "migration \(name) (\(location(of: comment)))"
            if comment.hasPrefix("/*"), comment == "/*/" || !comment.hasSuffix("*/") {
                throw error(
                    .unusableFile,
                    "\(subject) begins a comment with /* that doesn't end: add */"
                )
            }
            let marker = comment.withLineBefore.range(
                of: Self.downMarker,
                options: [.regularExpression, .caseInsensitive]
            )
            if marker != nil {
                throw error(
                    .unusableFile,
                    """
                    \(subject) begins a down part, which SQift would run too: delete it \
                    (\(comment))
                    """
                )
            }
        }
    }
}
