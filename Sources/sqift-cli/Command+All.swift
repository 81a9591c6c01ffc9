extension Command {
    static let all = [
        Command(
            "new",
            ["FOLDER", "NAME"],
            "make an empty file for a migration",
            details: """
                Makes an empty .sql file in FOLDER, and prints its path. Its number is the date
                and the time in UTC, so it comes last: 20261128091500-NAME.sql. FOLDER is made
                too if it is missing. migrate refuses an empty file: write the SQL first.
                """,
            example: "new migrations add-owner"
        ) {
            try makeMigration($0)
            return .done
        },
        Command(
            "status",
            ["DATABASE", "FOLDER"],
            "show which migrations have run",
            details: """
                Shows which .sql files in FOLDER DATABASE has had (applied), which it hasn't
                (pending), which were changed after they had run (edited), and which it has had
                that FOLDER hasn't (unknown). The exit status is 0 if all are applied. Nothing
                is run: it is the same as migrate --check.
                """,
            options: [.json],
            example: "status app.sqlite migrations"
        ) {
            try Migrate($0).check().show(for: $0)
        },
        Command(
            "migrate",
            ["DATABASE", "FOLDER"],
            "apply the .sql files in FOLDER that haven't run yet",
            details: """
                Applies the .sql files in FOLDER that DATABASE hasn't had yet, in the order of
                the number at the start of each name (0007-add-tags.sql). Each file runs in a
                transaction of its own, and is recorded together with it.

                There are no down migrations: a backup is the way back. Make one with --backup,
                and restore it with sqift-cli restore.
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
                Option(
                    name: "--schema",
                    value: "FILE",
                    summary: "then write the schema that they make into FILE"
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
            ["DATABASE", "FILE"],
            "make a verified copy of a database that is in use",
            details: """
                Copies DATABASE to FILE while others use it. FILE is replaced only when the
                copy is complete, verified and on disk. If anything fails, it stays as it was.

                With --keep, FILE is a folder. The new backup of app.sqlite gets a name such
                as app-2026-11-28T030000Z.sqlite (UTC). When it is verified and on disk, the
                oldest files with such names are deleted, so that N are left. Another
                database whose name is app needs another folder.
                """,
            options: [
                Option(name: "--keep", value: "N", summary: "keep the N newest backups in a folder")
            ] + copyOptions,
            example: "backup app.sqlite backups --keep 7 --rate=50"
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
            ["[DATABASE]"],
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
            ["[DATABASE]"],
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
            "completions",
            ["bash|zsh|fish"],
            "print a script that lets a shell complete commands",
            details: """
                Prints a script with which the shell completes commands, options and files:

                  bash  eval "$(sqift-cli completions bash)"   in ~/.bashrc
                  zsh   eval "$(sqift-cli completions zsh)"    in ~/.zshrc, after compinit
                  fish  sqift-cli completions fish | source    in config.fish
                """,
            example: "completions bash"
        ) {
            try printCompletions($0)
            return .done
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
