extension Command {
    static let all = [
        Command(
            "demo",
            ["[DATABASE]"],
            "show the library at work, or copy a database's rows",
            details: """
                Without DATABASE: makes a database, works on it, and shows how long each step
                takes. With DATABASE: copies its tables row by row to a temporary file, and
                compares the copy with it. DATABASE itself is only read.
                """
        ) {
            guard let path = $0.operands.first else {
                try await Demo().run()
                return .done
            }
            return try RowCopy.run(from: path) ? .done : .failed
        },
        Command(
            "migrate",
            ["DATABASE", "FOLDER"],
            "run the .sql files of a folder that the database doesn't have yet",
            details: """
                The names of the files begin with a number, which gives the order, such as
                0007-add-tags.sql. A file is run in one transaction: as a whole, or not at all.
                """,
            options: [
                Option(name: "--to", value: "NAME", summary: "run the files up to this one"),
                Option(
                    name: "--dry-run",
                    value: nil,
                    summary: "run on a copy only, and show what would change or fail"
                ),
                Option(
                    name: "--check-drift",
                    value: nil,
                    summary: "don't run the files; show how the schema differs from theirs"
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
            "write a checked copy, while others may write to the source",
            details: """
                An existing FILE is replaced only when the copy is complete, checked and on the
                disk. If anything fails, it stays as it is.
                """,
            options: [
                Option(
                    name: "--pages",
                    value: "N",
                    summary: "copy N pages in one step; 100 by default"
                ),
                Option(
                    name: "--rate",
                    value: "MB/S",
                    summary: "copy at most this many megabytes a second"
                ),
            ]
        ) {
            try await BackUpAndRestore($0).backUp()
            return .done
        },
        Command(
            "restore",
            ["FILE", "DATABASE"],
            "put a backup's content into a database, new or in use",
            details: """
                FILE is checked first, and only read. If anything fails, DATABASE stays as it is.
                A new one appears only when it is complete.
                """
        ) {
            try await BackUpAndRestore($0).restore()
            return .done
        },
        Command(
            "verify",
            ["A", "B"],
            "compare two databases table by table",
            details: """
                Both are only read. Values must have the same type: 1 and 1.0 differ. White space
                in the schema and the journal mode don't count.
                """
        ) {
            try Verify($0.operands[0], $0.operands[1]).run() ? .done : .failed
        },
        Command(
            "check",
            ["DATABASE"],
            "check integrity and foreign keys, and show the journal and pages",
            details: """
                DATABASE is only read. If an index or a constraint needs a collation or a
                function that only your app has, its table can't be checked. If all others are
                sound, the exit code is 3.
                """
        ) {
            try Check($0.operands[0]).run()
        },
    ]
}
