extension Command {
    static let all = [
        Command(
            "migrate",
            ["DATABASE", "FOLDER"],
            "apply the .sql files in FOLDER that haven't run yet",
            details: """
                Applies the .sql files in FOLDER that DATABASE hasn't had yet, in the order of
                the number at the start of each name (0007-add-tags.sql). Each file runs in a
                transaction of its own, and is recorded together with it.
                """,
            options: [
                Option(name: "--to", value: "NAME", summary: "stop after this migration"),
                Option(
                    name: "--dry-run",
                    value: nil,
                    summary: "run on a copy, and show what would change or fail"
                ),
                Option(
                    name: "--check",
                    value: nil,
                    summary: "run nothing; exit with 1 if any is pending"
                ),
                Option(
                    name: "--check-drift",
                    value: nil,
                    summary: "only show how the schema differs from the files"
                ),
                Option(
                    name: "--backup",
                    value: "FILE",
                    summary: "first back DATABASE up, if anything is pending"
                ),
                .json,
            ],
            example: "migrate app.sqlite migrations --dry-run",
            cancellation: "rolled back the running migration; earlier ones stay applied"
        ) {
            try Migrate($0).run().show(for: $0)
        },
        Command(
            "backup",
            ["SOURCE", "FILE"],
            "make a verified copy of a database that is in use",
            details: """
                Copies SOURCE to FILE while others use it. FILE is replaced only when the copy
                is complete, verified and on disk. If anything fails, it stays as it was.
                """,
            options: copyOptions,
            example: "backup app.sqlite backups/app-2026-01-31.sqlite --rate=50"
        ) {
            try await BackUpAndRestore($0).backUp()
            return .done
        },
        Command(
            "restore",
            ["FILE", "DATABASE"],
            "replace the contents of DATABASE with a backup",
            details: """
                Verifies the backup FILE and copies it into DATABASE, which may be in use or
                missing. If anything fails, DATABASE stays as it was.
                """,
            options: copyOptions,
            example: "restore backups/app-2026-01-31.sqlite app.sqlite"
        ) {
            try await BackUpAndRestore($0).restore()
            return .done
        },
        Command(
            "rekey",
            ["DATABASE"],
            "change, add or remove the key of a database",
            details: """
                Makes a copy of DATABASE with another key, verifies it, and puts it in place of
                DATABASE, which nobody may use meanwhile. --key-file is the old key, without it
                DATABASE isn't encrypted. If anything fails, DATABASE stays as it was.
                """,
            options: [
                Option(
                    name: "--new-key-file",
                    value: "FILE",
                    summary: "the new key; without it, the key is removed"
                )
            ],
            example: "rekey app.sqlite --key-file old.key --new-key-file new.key"
        ) {
            try rekey($0)
            return .done
        },
        Command(
            "verify",
            ["A", "B"],
            "compare two databases, row by row",
            details: """
                Compares schemas and rows; neither file is changed. Values of different types
                differ (1 and 1.0). The order of the rows is ignored, and so are rowids that
                aren't a column, the journal mode, and white space in the schema.
                """,
            options: [.json],
            example: "verify app.sqlite backups/app-2026-01-31.sqlite"
        ) {
            try Verify($0.operands[0], $0.operands[1]).run().show(for: $0)
        },
        Command(
            "check",
            ["DATABASE"],
            "check integrity and foreign keys",
            details: """
                Checks integrity and foreign keys, and changes nothing. A table whose index or
                constraint uses a function or a collation of your app can't be checked here:
                if everything else is sound, the exit status is 3.
                """,
            options: [.json],
            example: "check app.sqlite"
        ) {
            try Check($0.operands[0]).run().show(for: $0)
        },
        Command(
            "demo",
            [],
            "show what the library can do, with timings",
            details: "Builds a sample database, works on it, and times each step."
        ) { _ in
            try await Demo().run()
            return .done
        },
    ]

    private static let copyOptions = [
        Option(name: "--pages", value: "N", summary: "copy N pages at a time; 100 by default"),
        Option(
            name: "--rate",
            value: "MB/S",
            summary: "limit the speed, to leave the disk to others"
        ),
    ]
}
