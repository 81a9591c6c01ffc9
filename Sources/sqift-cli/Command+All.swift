extension Command {
    static let all = [
        Command(
            "demo",
            ["[DATABASE]"],
            "show the library at work, or copy a database's rows",
            details: """
                Without DATABASE it works on one of its own, and shows how long each step takes.
                DATABASE is only read: its tables are copied row by row to a temporary file, and
                the copy is compared with it.
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
                The files' names begin with a number, which is their order: 0007-add-tags.sql.
                Each runs with its record in one transaction: as a whole, or not at all.
                """,
            options: [
                Option(name: "--to", value: "NAME", summary: "no further than this one"),
                Option(
                    name: "--dry-run",
                    value: nil,
                    summary: "on a copy: what would they change, or where would they fail?"
                ),
                Option(
                    name: "--check-drift",
                    value: nil,
                    summary: "run nothing: how does the schema differ from theirs?"
                ),
                Option(
                    name: "--backup",
                    value: "FILE",
                    summary: "make a backup before, if any is pending"
                ),
            ],
            cancellation:
                "the migration that ran is undone; those before it stay, after --dry-run none"
        ) {
            try Migrate($0).run()
        },
        Command(
            "backup",
            ["SOURCE", "FILE"],
            "write a checked copy, while others may write to the source",
            details: """
                FILE is replaced as a whole, when the copy is made, checked and on the disk;
                until then it stays as it is.
                """,
            options: [
                Option(name: "--pages", value: "N", summary: "so many pages at a time (100)"),
                Option(name: "--rate", value: "MB/S", summary: "not faster than this"),
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
                FILE is checked, and only read. If anything fails, DATABASE is as it was; a new
                one isn't there before it is whole.
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
                Both are only read. White space in the schema and the journal mode make no
                difference; a value's type does.
                """
        ) {
            try Verify($0.operands[0], $0.operands[1]).run() ? .done : .failed
        },
        Command(
            "check",
            ["DATABASE"],
            "check integrity and foreign keys, and show the journal and pages",
            details: """
                DATABASE is only read. A table whose indexes or constraints need a collation or
                a function of its app's can't be checked: if all others are sound, the exit
                code is 3.
                """
        ) {
            try Check($0.operands[0]).run()
        },
    ]
}
