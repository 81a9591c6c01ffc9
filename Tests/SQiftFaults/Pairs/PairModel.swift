/// What the database of a row has to contain. The operations keep it up to date.
struct PairModel: Equatable, Sendable {
    struct Record: Equatable, Sendable {
        var text: String
        var number: Int
        var bytes: [UInt8]
    }

    /// What nothing encrypted may show.
    static let marker = "plain mark"

    var records: [Int: Record] = [:]
    var children: [Int: Int] = [:]
    /// The table that the program's functions serve, if there is one.
    var served: [Int: String] = [:]
    /// The objects of the schema, each as `type|name`.
    var objects: Set<String> = []
    /// The rows of the tables that migrations have made, and of their records, as they are read.
    var migrated: [String] = []
    /// How many named and numbered migrations there are.
    var migrationCount = 0
    var version = 0

    /// What a database begins with.
    init(recordCount: Int = 20, firstID: Int = 1, for combination: Combination) {
        for id in firstID..<firstID + recordCount {
            records[id] = .make(id)
        }
        children = [1: firstID, 2: firstID + 1]
        if combination.schemaCall != .nothing {
            served = [1: "\(Self.marker) one", 2: "two"]
        }
    }

    var nextID: Int { (records.keys.max() ?? 0) + 1 }

    /// What `plainContent` returns.
    func content(of combination: Combination) -> [String] {
        var rows = records.flatMap { id, record in
            let plain = "\(id)|\(record.text)|\(record.number)|\(record.bytes.hexadecimal)"
            return switch combination.tableKind {
            case .generated: ["t: \(plain)|\(record.number * 2)|\(record.text)x"]
            case .fullText: ["t: \(plain)", "ft: \(id)|\(record.text)"]
            case .rTree: ["t: \(plain)", "rt: \(id)|\(record.number).0|\(record.number + 1).0"]
            case .viewWithTriggers: ["t: \(plain)", "things: \(plain)"]
            case .rowid, .withoutRowID, .strict: ["t: \(plain)"]
            }
        }
        rows += children.map { "child: \($0)|\($1)" }
        rows += served.map { id, text in
            let isGenerated = combination.schemaCall == .generatedColumn
            return "served: \(id)|\(text)" + (isGenerated ? "|\(text.utf8.count * 2)" : "")
        }
        if version > 0 {
            rows.append("schema_migrations: \(version)")
        }
        return objects.sorted() + (rows + migrated).sorted()
    }
}

extension PairModel.Record {
    static func make(_ id: Int) -> Self {
        let bytes = (0..<48).map { UInt8(truncatingIfNeeded: $0 &+ id) }
        return Self(text: "\(PairModel.marker) \(id) é", number: id * 3, bytes: bytes)
    }
}

extension Combination {
    /// The columns of the table `t`, as in its definition.
    var columns: String {
        let columns = "id INTEGER PRIMARY KEY, a TEXT, n INTEGER, b BLOB"
        guard tableKind == .generated else { return columns }
        return columns + ", g INTEGER AS (n * 2) STORED, v TEXT AS (a || 'x')"
    }

    /// What stands behind the columns.
    var tableOptions: String {
        switch tableKind {
        case .withoutRowID: "WITHOUT ROWID"
        case .strict: "STRICT"
        default: ""
        }
    }

    /// What is written to.
    var target: String { tableKind == .viewWithTriggers ? "things" : "t" }

    /// The settings that a file is made with.
    var settings: String {
        """
        PRAGMA page_size = \(self[PageSize.self].rawValue);
        PRAGMA auto_vacuum = \(self[AutoVacuum.self].number);
        PRAGMA encoding = '\(self[Encoding.self].rawValue)'
        """
    }

    /// The schema, and the rows of a model.
    func script(_ model: PairModel) -> String {
        var script = """
            CREATE TABLE t(\(columns)) \(tableOptions);
            CREATE INDEX t_n ON t(n);
            CREATE TABLE child(id INTEGER PRIMARY KEY, t INTEGER REFERENCES t(id));
            \(tableKind.script)
            \(schemaCall.script)
            BEGIN;
            """
        for (id, record) in model.records.sorted(by: { $0.key < $1.key }) {
            let values = "\(id), '\(record.text)', \(record.number), x'\(record.bytes.hexadecimal)'"
            script += "INSERT INTO \(target)(id, a, n, b) VALUES(\(values));\n"
        }
        for (id, parent) in model.children {
            script += "INSERT INTO child VALUES(\(id), \(parent));\n"
        }
        for (id, text) in model.served {
            script += "INSERT INTO served(id, a) VALUES(\(id), '\(text)');\n"
        }
        return script + "COMMIT"
    }
}

extension TableKind {
    fileprivate var script: String {
        switch self {
        case .rowid, .withoutRowID, .strict, .generated: ""
        case .fullText:
            """
            CREATE VIRTUAL TABLE ft USING fts5(a);
            CREATE TRIGGER t_i AFTER INSERT ON t BEGIN
                INSERT INTO ft(rowid, a) VALUES(new.id, new.a);
            END;
            CREATE TRIGGER t_u AFTER UPDATE OF a ON t BEGIN
                UPDATE ft SET a = new.a WHERE rowid = old.id;
            END;
            CREATE TRIGGER t_d AFTER DELETE ON t BEGIN
                DELETE FROM ft WHERE rowid = old.id;
            END;
            """
        case .rTree:
            """
            CREATE VIRTUAL TABLE rt USING rtree(id, low, high);
            CREATE TRIGGER t_i AFTER INSERT ON t BEGIN
                INSERT INTO rt VALUES(new.id, new.n, new.n + 1);
            END;
            CREATE TRIGGER t_u AFTER UPDATE OF n ON t BEGIN
                UPDATE rt SET low = new.n, high = new.n + 1 WHERE id = old.id;
            END;
            CREATE TRIGGER t_d AFTER DELETE ON t BEGIN
                DELETE FROM rt WHERE id = old.id;
            END;
            """
        case .viewWithTriggers:
            """
            CREATE VIEW things AS SELECT id, a, n, b FROM t;
            CREATE TRIGGER v_i INSTEAD OF INSERT ON things BEGIN
                INSERT INTO t VALUES(new.id, new.a, new.n, new.b);
            END;
            CREATE TRIGGER v_u INSTEAD OF UPDATE ON things BEGIN
                UPDATE t SET a = new.a, n = new.n, b = new.b WHERE id = old.id;
            END;
            CREATE TRIGGER v_d INSTEAD OF DELETE ON things BEGIN
                DELETE FROM t WHERE id = old.id;
            END;
            """
        }
    }
}

extension SchemaCall {
    fileprivate var script: String {
        let table = "CREATE TABLE served(id INTEGER PRIMARY KEY, a TEXT"
        return switch self {
        case .nothing: ""
        case .collatedIndex: "\(table)); CREATE INDEX served_a ON served(a COLLATE backwards);"
        case .functionIndex: "\(table)); CREATE INDEX served_a ON served(twice(a));"
        case .check: "\(table) CHECK(twice(a) NOTNULL));"
        case .generatedColumn: "\(table), twice INTEGER AS (twice(a)));"
        }
    }
}
