/// Every workload, in the order of the table in Docs/Benchmarks.md.
func allWorkloads() -> [Workload] {
    [
        Workload(
            name: "open-close",
            what: "open and close a file database",
            limit: 1.05,
            operations: 2_000,
            make: openClose
        ),
        Workload(
            name: "select-1-cached",
            what: "query(\"SELECT 1\") through the statement cache, against a reused statement",
            limit: 1.55,
            operations: 200_000,
            make: selectOne
        ),
        Workload(
            name: "distinct-sql",
            what: "SQL that is never the same through query, against prepare, step and finalize",
            limit: 1.15,
            operations: 200_000,
            make: distinctSQL
        ),
        Workload(
            name: "insert-prepared",
            what:
                "rows of an integer, text, a real and a blob; a reused statement, one transaction",
            limit: 1.15,
            operations: 200_000,
            make: insertPrepared
        ),
        Workload(
            name: "insert-variadic",
            what: "the same with a literal nil among the values",
            limit: 1.35,
            operations: 200_000,
            make: insertVariadic
        ),
        Workload(
            name: "insert-convenience",
            what: "as insert-prepared through connection.run, against a reused statement",
            limit: 1.15,
            operations: 200_000,
            make: insertConvenience
        ),
        Workload(
            name: "insert-listening",
            what: "insert-convenience with a listener to changes, against itself without",
            limit: 1.15,
            operations: 200_000,
            make: insertListening
        ),
        Workload(
            name: "insert-encoding",
            what: "the same from an Encodable struct, by the parameters' names",
            limit: 2.5,
            operations: 100_000,
            make: insertEncoding
        ),
        Workload(
            name: "bulk",
            what:
                "rows of an integer, text and a real from an array, against SQLITE_STATIC",
            limit: 1.2,
            operations: 1_000_000,
            make: bulk
        ),
        Workload(
            name: "ints-column",
            what: "one column into [Int64]",
            limit: 1.12,
            operations: 1_000_000,
            make: intsColumn
        ),
        Workload(
            name: "ints-index",
            what: "rows of ten integers by index in a closure",
            limit: 1.25,
            operations: 200_000,
            make: intsIndex
        ),
        Workload(
            name: "ints-name",
            what: "the same by name, against the C API by index",
            limit: 1.45,
            operations: 200_000,
            make: intsName
        ),
        Workload(
            name: "cursor-ints",
            what: "one column of integers, row by row from a cursor",
            limit: 1.25,
            operations: 1_000_000,
            make: cursorInts
        ),
        Workload(
            name: "structs-hand",
            what: "five columns by name into a struct, a date among them",
            limit: 1.4,
            operations: 200_000,
            make: structs
        ),
        Workload(
            name: "structs-codable",
            what: "the same into a Decodable struct, in snake case",
            limit: 3.4,
            operations: 200_000,
            make: structsCodable
        ),
        Workload(
            name: "structs-tuple",
            what: "the same columns into tuples",
            limit: 1.45,
            operations: 200_000,
            make: structsTuple
        ),
        Workload(
            name: "rows-to-structs",
            what: "an integer, text and a real by index into a struct",
            limit: 1.15,
            operations: 1_000_000,
            make: rowsToStructs
        ),
        Workload(
            name: "strings-column",
            what: "short strings into [String]",
            limit: 1.15,
            operations: 200_000,
            make: stringsColumn
        ),
        Workload(
            name: "blobs-column",
            what: "blobs of 1 KiB into [Data]",
            limit: 1.05,
            operations: 100_000,
            make: blobsColumn
        ),
        Workload(
            name: "dates",
            what: "dates written and read, against a format by hand",
            limit: 1.2,
            operations: 100_000,
            make: dates
        ),
        Workload(
            name: "decimals",
            what: "decimals written and read, against Decimal(string:) and its description",
            limit: 1.5,
            operations: 100_000,
            make: decimals
        ),
        Workload(
            name: "uuids",
            what: "UUIDs written and read, against UUID(uuidString:) and uuidString",
            limit: 1.2,
            operations: 100_000,
            make: uuids
        ),
        Workload(
            name: "urls",
            what: "URLs written and read, against URL(string:) and absoluteString",
            limit: 1.2,
            operations: 100_000,
            make: urls
        ),
        Workload(
            name: "booleans",
            what: "Bool written and read",
            limit: 1.25,
            operations: 100_000,
            make: booleans
        ),
        Workload(
            name: "floats",
            what: "Float written and read",
            limit: 1.3,
            operations: 100_000,
            make: floats
        ),
        Workload(
            name: "unsigned-integers",
            what: "UInt64 written and read",
            limit: 1.3,
            operations: 100_000,
            make: unsignedIntegers
        ),
        Workload(
            name: "enumerations-int",
            what: "an enumeration of integers written and read",
            limit: 1.35,
            operations: 100_000,
            make: enumerationsOfIntegers
        ),
        Workload(
            name: "enumerations-text",
            what: "an enumeration of texts written and read",
            limit: 1.2,
            operations: 100_000,
            make: enumerationsOfTexts
        ),
        Workload(
            name: "json",
            what: "a Codable struct written and read, against one JSONEncoder and one JSONDecoder",
            limit: 1.4,
            operations: 100_000,
            make: json
        ),
        Workload(
            name: "function-scalar",
            what:
                "an SQL function of an integer with typed arguments, against one in C's convention",
            limit: 1.5,
            operations: 500_000,
            make: functionScalar
        ),
        Workload(
            name: "function-text",
            what: "the same of a text with a text as its result",
            limit: 1.3,
            operations: 500_000,
            make: functionText
        ),
        Workload(
            name: "blob-incremental",
            what: "100 MB written and read through a buffer of 64 KiB",
            limit: 1.05,
            operations: 1_600,
            make: blobIncremental
        ),
        Workload(
            name: "point-read",
            what:
                "a row by its key through database.executeRead, against a reused statement "
                + "on one connection",
            limit: 1.2,
            operations: 200_000,
            make: {
                try pointRead($0) { database, body in try database.executeRead(closure: body) }
            }
        ),
        Workload(
            name: "point-read-snapshot",
            what: "the same through database.read, in a transaction of its own",
            limit: 1.35,
            operations: 200_000,
            make: { try pointRead($0) { database, body in try database.read(body) } }
        ),
        Workload(
            name: "concurrent-reads",
            what:
                "8 threads that read rows by key and one that writes, "
                + "against a connection for each",
            limit: 1.5,
            operations: 165_000,
            make: concurrentReads
        ),
        Workload(
            name: "commits-full",
            what: "a row in a transaction through database.write, synchronous FULL",
            limit: 1.05,
            operations: 4_000,
            make: { try commits($0, .full) }
        ),
        Workload(
            name: "commits-normal",
            what: "the same, synchronous NORMAL",
            limit: 1.1,
            operations: 40_000,
            make: { try commits($0, .normal) }
        ),
        Workload(
            name: "commits-listening",
            what: "commits-normal with a listener that doesn't read yet, against itself without",
            limit: 1.1,
            operations: 40_000,
            make: commitsListening
        ),
        Workload(
            name: "backup",
            what: "200 MB from file to file through connection.backup, 100 pages a step",
            limit: 1.05,
            operations: 48_000,
            make: backup
        ),
        Workload(
            name: "database-backup",
            what:
                "the same through database.backup, checked, synced and renamed, "
                + "against the copying alone",
            limit: 6,
            operations: 48_000,
            make: databaseBackup
        ),
        Workload(
            name: "backup-under-writes",
            what:
                "database.backup while another task commits 1,000 times a second, "
                + "against an idle database",
            limit: 1.5,
            operations: 48_000,
            make: backupUnderWrites
        ),
        Workload(
            name: "migrate-1000",
            what: "1,000 empty named migrations, against the same SQL with reused statements",
            limit: 1.2,
            operations: 1_000,
            make: migrate
        ),
    ]
}
