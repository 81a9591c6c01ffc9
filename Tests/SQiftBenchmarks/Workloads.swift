/// Every workload, in the order of the table in Docs/Benchmarks.md.
func allWorkloads() -> [Workload] {
    [
        Workload(
            name: "open-close",
            what: "open and close a file database",
            limit: 1.2,
            operations: 500,
            make: openClose
        ),
        Workload(
            name: "select-1-cached",
            what: "`query(\"SELECT 1\")` through the statement cache, against a reused statement",
            limit: 1.61,
            operations: 100_000,
            make: selectOne
        ),
        Workload(
            name: "distinct-sql",
            what:
                "20,000 statements that are all different, a row each, through "
                + "`query`, against prepare, step and finalize",
            limit: 1.25,
            operations: 20_000,
            make: distinctSQL
        ),
        Workload(
            name: "insert-prepared",
            what:
                "20,000 rows (integer, 20 bytes of text, real, 32 bytes of blob), "
                + "one transaction, a reused statement",
            limit: 1.15,
            operations: 20_000,
            make: insertPrepared
        ),
        Workload(
            name: "insert-variadic",
            what: "the same with a literal `nil` among the values",
            limit: 1.38,
            operations: 20_000,
            make: insertVariadic
        ),
        Workload(
            name: "insert-convenience",
            what: "as insert-prepared through `connection.run`, against a reused statement",
            limit: 1.26,
            operations: 20_000,
            make: insertConvenience
        ),
        Workload(
            name: "insert-listening",
            what: "insert-convenience with a `didCommit` closure, against itself without",
            limit: 1.2,
            operations: 20_000,
            make: insertListening
        ),
        Workload(
            name: "insert-encoding",
            what: "10,000 of the same from an `Encodable` struct, by the parameters' names",
            limit: 1.64,
            operations: 10_000,
            make: insertEncoding
        ),
        Workload(
            name: "bulk",
            what:
                "100,000 rows (integer, text, real) from an array of structs, a "
                + "reused statement, against `SQLITE_STATIC`",
            limit: 1.27,
            operations: 100_000,
            make: bulk
        ),
        Workload(
            name: "ints-column",
            what: "100,000 rows of one integer into `[Int64]`",
            limit: 1.15,
            operations: 100_000,
            make: intsColumn
        ),
        Workload(
            name: "ints-index",
            what: "20,000 rows of ten integers by index in a closure",
            limit: 1.28,
            operations: 20_000,
            make: intsIndex
        ),
        Workload(
            name: "ints-name",
            what: "the same by name, against the C API by index",
            limit: 1.47,
            operations: 20_000,
            make: intsName
        ),
        Workload(
            name: "cursor-ints",
            what: "100,000 rows of one integer, row by row from a cursor",
            limit: 1.24,
            operations: 100_000,
            make: cursorInts
        ),
        Workload(
            name: "structs-hand",
            what: "20,000 rows of five columns by name into a struct, a date among them",
            limit: 1.47,
            operations: 20_000,
            make: structs
        ),
        Workload(
            name: "structs-codable",
            what: "the same into a `Decodable` struct, in snake case",
            limit: 2.74,
            operations: 20_000,
            make: structsCodable
        ),
        Workload(
            name: "structs-tuple",
            what: "the same columns into tuples",
            limit: 1.39,
            operations: 20_000,
            make: structsTuple
        ),
        Workload(
            name: "rows-to-structs",
            what: "100,000 rows of an integer, text and a real by index into a struct",
            limit: 1.14,
            operations: 100_000,
            make: rowsToStructs
        ),
        Workload(
            name: "strings-column",
            what: "20,000 short strings into `[String]`",
            limit: 0.96,
            operations: 20_000,
            make: stringsColumn
        ),
        Workload(
            name: "blobs-column",
            what: "10,000 blobs of 1 KiB into `[Data]`",
            limit: 1.06,
            operations: 10_000,
            make: blobsColumn
        ),
        Workload(
            name: "dates",
            what: "10,000 dates written and read, against a format by hand",
            limit: 1.16,
            operations: 10_000,
            make: dates
        ),
        Workload(
            name: "decimals",
            what:
                "10,000 of `Decimal` written and read, against `Decimal(string:)` and "
                + "its description",
            limit: 1.18,
            operations: 10_000,
            make: decimals
        ),
        Workload(
            name: "uuids",
            what: "10,000 of `UUID`, against `UUID(uuidString:)` and `uuidString`",
            limit: 1.07,
            operations: 10_000,
            make: uuids
        ),
        Workload(
            name: "urls",
            what: "10,000 of `URL`, against `URL(string:)` and `absoluteString`",
            limit: 1.08,
            operations: 10_000,
            make: urls
        ),
        Workload(
            name: "booleans",
            what: "10,000 of `Bool`",
            limit: 1.16,
            operations: 10_000,
            make: booleans
        ),
        Workload(
            name: "floats",
            what: "10,000 of `Float`",
            limit: 1.19,
            operations: 10_000,
            make: floats
        ),
        Workload(
            name: "unsigned-integers",
            what: "10,000 of `UInt64`",
            limit: 1.19,
            operations: 10_000,
            make: unsignedIntegers
        ),
        Workload(
            name: "enumerations-int",
            what: "10,000 of an enumeration of integers",
            limit: 1.28,
            operations: 10_000,
            make: enumerationsOfIntegers
        ),
        Workload(
            name: "enumerations-text",
            what: "10,000 of an enumeration of strings",
            limit: 1.15,
            operations: 10_000,
            make: enumerationsOfTexts
        ),
        Workload(
            name: "json",
            what: "10,000 of a `CodableBinding`, against one `JSONEncoder` and one `JSONDecoder`",
            limit: 1.27,
            operations: 10_000,
            make: json
        ),
        Workload(
            name: "function-scalar",
            what:
                "an SQL function of one integer in a query of 50,000 rows: typed "
                + "arguments, against one in C's convention",
            limit: 1.37,
            operations: 50_000,
            make: functionScalar
        ),
        Workload(
            name: "function-text",
            what: "the same of a string, with a string as its result",
            limit: 1.27,
            operations: 50_000,
            make: functionText
        ),
        Workload(
            name: "blob-incremental",
            what: "10 MB of a blob written and read in pieces of 64 KiB",
            limit: 1.06,
            operations: 160,
            make: blobIncremental
        ),
        Workload(
            name: "point-read",
            what:
                "20,000 rows by their key, each in a `database.executeRead`, against "
                + "a reused statement on one connection",
            limit: 1.24,
            operations: 20_000,
            make: {
                try pointRead($0) { database, body in try database.executeRead(closure: body) }
            }
        ),
        Workload(
            name: "point-read-snapshot",
            what:
                "the same in a `database.read`, which is a transaction, against the "
                + "C API without one",
            limit: 1.36,
            operations: 20_000,
            make: { try pointRead($0) { database, body in try database.read(body) } }
        ),
        Workload(
            name: "concurrent-reads",
            what:
                "8 threads of 2,000 reads by key and one of 500 inserts, "
                + "against a connection for each thread",
            limit: 1.13,
            operations: 16_500,
            make: concurrentReads
        ),
        Workload(
            name: "commits-full",
            what: "a row in a `database.write`, synchronous FULL",
            limit: 1.09,
            operations: 200,
            make: { try commits($0, .full) }
        ),
        Workload(
            name: "commits-normal",
            what: "the same, synchronous NORMAL, which doesn't wait for the disk",
            limit: 1.11,
            operations: 2_000,
            make: { try commits($0, .normal) }
        ),
        Workload(
            name: "commits-listening",
            what:
                "commits-normal with a listener to `changes` that doesn't read yet, "
                + "against itself without",
            limit: 1.13,
            operations: 2_000,
            make: commitsListening
        ),
        Workload(
            name: "backup",
            what:
                "50 MB from file to file through `connection.backup`, 100 pages a "
                + "step; ns a page",
            limit: 1.02,
            operations: 12_000,
            make: backup
        ),
        Workload(
            name: "database-backup",
            what:
                "the same through `database.backup`, checked, synced and renamed, "
                + "against the copying alone",
            limit: 2.94,
            operations: 12_000,
            make: databaseBackup
        ),
        Workload(
            name: "backup-under-writes",
            what: "`database.backup` under 1,000 commits a second, against an idle database",
            limit: 1.06,
            operations: 12_000,
            make: backupUnderWrites
        ),
        Workload(
            name: "migrate-100",
            what:
                "100 empty named migrations, against the same SQL with reused "
                + "statements; ns a migration",
            limit: 1.18,
            operations: 100,
            make: migrate
        ),
    ]
}
