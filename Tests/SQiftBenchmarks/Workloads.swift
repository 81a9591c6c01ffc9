/// Every workload, in the order of the table in Docs/Performance.md.
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
            limit: 2.2,
            operations: 200_000,
            make: selectOne
        ),
        Workload(
            name: "insert-prepared",
            what: "rows of an integer, text, a real and a blob; a reused statement, one transaction",
            limit: 1.15,
            operations: 200_000,
            make: insertPrepared
        ),
        Workload(
            name: "insert-variadic",
            what: "the same with a literal nil among the values",
            limit: 1.5,
            operations: 200_000,
            make: insertVariadic
        ),
        Workload(
            name: "insert-convenience",
            what: "as insert-prepared through connection.run, against a reused statement",
            limit: 1.4,
            operations: 200_000,
            make: insertConvenience
        ),
        Workload(
            name: "ints-column",
            what: "one column into [Int64]",
            limit: 1.15,
            operations: 1_000_000,
            make: intsColumn
        ),
        Workload(
            name: "ints-index",
            what: "rows of ten integers by index in a closure",
            limit: 1.3,
            operations: 200_000,
            make: intsIndex
        ),
        Workload(
            name: "ints-name",
            what: "the same by name, against the C API by index",
            limit: 1.8,
            operations: 200_000,
            make: intsName
        ),
        Workload(
            name: "structs-hand",
            what: "five columns by name into a struct, a date among them",
            limit: 1.5,
            operations: 200_000,
            make: structs
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
            limit: 1.5,
            operations: 100_000,
            make: dates
        ),
        Workload(
            name: "function-scalar",
            what: "an SQL function of an integer with typed arguments, against one in C's convention",
            limit: 1.6,
            operations: 500_000,
            make: functionScalar
        ),
        Workload(
            name: "function-text",
            what: "the same of a text with a text as its result",
            limit: 1.6,
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
    ]
}
