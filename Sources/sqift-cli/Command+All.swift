extension Command {
    static let all = [
        Command(
            "demo",
            [],
            "show what the library does, with timings",
            details: "Makes a database, works on it, and shows how long each step takes."
        ) { _ in
            try await Demo().run()
            return .done
        },
        Command(
            "migrate",
            ["DATABASE", "FOLDER"],
            "run the .sql files of FOLDER that haven't run yet",
            details: """
                Runs the .sql files of FOLDER that DATABASE hasn't had yet, in the order of
                the number at the beginning of each name, such as 0007-add-tags.sql. Each
                file is one transaction: it runs as a whole, or not at all.
                """,
            options: [
                Option(name: "--to", value: "NAME", summary: "run the files up to this one"),
                Option(
                    name: "--dry-run",
                    value: nil,
                    summary: "run on a copy, and show what would change or fail"
                ),
                Option(
                    name: "--check-drift",
                    value: nil,
                    summary: "only show how the schema differs from the files'"
                ),
                Option(
                    name: "--backup",
                    value: "FILE",
                    summary: "make a backup before the first file is run"
                ),
            ],
            cancellation:
                "the running migration is undone, and those before it stay (with --dry-run, none)"
        ) {
            try Migrate($0).run()
        },
        Command(
            "backup",
            ["SOURCE", "FILE"],
            "make a checked copy of a database in use",
            details: """
                Copies SOURCE to FILE while others may write to SOURCE. An existing FILE is
                replaced only when the copy is complete, checked and on the disk. If anything
                fails, it stays as it is.
                """,
            options: copyOptions
        ) {
            try await BackUpAndRestore($0).backUp()
            return .done
        },
        Command(
            "restore",
            ["FILE", "DATABASE"],
            "copy a backup into a database, new or in use",
            details: """
                FILE is checked first, and only read. If anything fails, DATABASE stays as it
                is. A new one appears only when it is complete.
                """,
            options: copyOptions
        ) {
            try await BackUpAndRestore($0).restore()
            return .done
        },
        Command(
            "verify",
            ["A", "B"],
            "compare two databases, row by row",
            details: """
                Both are only read. Values must have the same type: 1 and 1.0 differ. These
                don't count: the order of the rows; the rowids, unless they are a column (an
                INTEGER PRIMARY KEY), since VACUUM changes them; white space in the schema;
                the journal mode.
                """
        ) {
            try Verify($0.operands[0], $0.operands[1]).run() ? .done : .failed
        },
        Command(
            "check",
            ["DATABASE"],
            "check integrity and foreign keys, and show the pages",
            details: """
                DATABASE is only read. If an index or a constraint needs a collation or a
                function that only your app has, its table can't be checked. If all others
                are sound, the exit code is 3.
                """
        ) {
            try Check($0.operands[0]).run()
        },
    ]

    private static let copyOptions = [
        Option(name: "--pages", value: "N", summary: "copy N pages in one step; 100 by default"),
        Option(name: "--rate", value: "MB/S", summary: "copy at most so many megabytes a second"),
    ]
}
