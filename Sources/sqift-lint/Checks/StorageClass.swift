/// How SQLite stores a value that isn't NULL.
///
/// SQLite: [Datatypes In SQLite](https://sqlite.org/datatype3.html)
enum StorageClass {
    case integer, real, text, blob

    private static let numbers =
        """
        Int Int8 Int16 Int32 Int64 UInt UInt8 UInt16 UInt32 UInt64 Double Float Bool
        UnixDate UnixMilliseconds
        """.words

    /// What SQift stores values of a type as, which is no number.
    static let stored: [String: StorageClass] = [
        "Date": .text,
        "URL": .text,
        "UUID": .text,
        "Data": .blob,
        "ArrayBinding": .text,
        "SetBinding": .text,
        "DictionaryBinding": .text,
    ]

    /// The functions of SQLite that return nothing but integers.
    static let functionsOfIntegers =
        "count length changes total_changes last_insert_rowid row_number dense_rank ntile".words

    /// What SQift reads the types of one value from. An array, which is stored as JSON, is `[`.
    static let readable: [String: Set<StorageClass>] = {
        let others: [String: Set<StorageClass>] = [
            "String": [.text],
            "URL": [.text],
            "Data": [.blob],
            "UUID": [.text, .blob],
            "Date": [.text, .integer, .real],
            "Decimal": [.text, .integer, .real],
            "[": [.text, .blob],
        ]
        return others.merging(numbers.map { ($0, [.integer, .real]) }) { $1 }
    }()
}

/// The storage classes that a column may have.
struct ColumnStorage {
    /// The declared type: `VARCHAR(20)`.
    let type: String
    let classes: Set<StorageClass>
    /// Whether SQLite stores nothing else. A number's column may also have text that is no number.
    let isCertain: Bool
    /// Whether SQLite refuses to store anything else.
    var isStrict = false

    /// Whether values that are stored so aren't meant for the column: text that is no number in a
    /// column of numbers, and what a STRICT table refuses.
    func refuses(_ stored: StorageClass) -> Bool {
        let isOfNumbers = !classes.isDisjoint(with: [.integer, .real])
        return !classes.contains(stored) && (isStrict || isOfNumbers)
    }
}

extension ColumnStorage {
    /// The classes in a table that is STRICT. A column of the type ANY may have each.
    init?(strict type: String) {
        switch type.uppercased() {
        case "INT", "INTEGER": classes = [.integer]
        case "REAL": classes = [.real]
        case "TEXT": classes = [.text]
        case "BLOB": classes = [.blob]
        default: return nil
        }
        self.type = type
        isCertain = true
        isStrict = true
    }

    private static let numericTypes =
        "INT INTEGER BIGINT SMALLINT TINYINT MEDIUMINT REAL DOUBLE FLOAT".words

    /// The classes by the type's affinity.
    init?(affinityOf type: String) {
        let upper = type.uppercased()
        if ColumnStorage.numericTypes.contains(upper) {
            self.init(type: type, classes: [.integer, .real], isCertain: false)
            return
        }
        let isText = ["CHAR", "CLOB", "TEXT"].contains(where: upper.contains)
        guard isText,
            !upper.contains("INT")
        else { return nil }
        self.init(type: type, classes: [.text, .blob], isCertain: true)
    }
}
