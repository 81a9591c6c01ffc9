import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct Refused: Error {}

/// The blocks of Docs/FromFMDB.md about FMDB, and its table's calls.
struct ComingFromFMDBTests {
    private let folder: TemporaryFolder
    private let path: String
    private let database: Database

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        database = try Database(path: path)
        try database.write { connection in
            try connection.execute(
                """
                CREATE TABLE accounts(name TEXT PRIMARY KEY, balance INTEGER, opened REAL);
                INSERT INTO accounts VALUES('Ada', 100, 1769860800.25), ('Bob', 0, 0)
                """
            )
        }
    }

    @Test func aRollbackIsAnError() throws {
        func move(_ amount: Int) throws {
            try database.write { connection in
                let sql =
                    "UPDATE accounts SET balance = balance + ? WHERE name = ? RETURNING balance"
                let left: Int = try connection.query(sql, -amount, "Ada")
                guard left >= 0 else { throw Refused() }
                try connection.run(sql, amount, "Bob")
            }
        }

        try move(60)
        expectThrows(Refused.self) { try move(60) }

        let balances: [Int] = try database.read { connection in
            try connection.query("SELECT balance FROM accounts ORDER BY name")
        }
        #expect(balances == [40, 60])
    }

    @Test func datesThatAreNumbers() throws {
        let connection = try Connection(path: path)
        let date = Date(timeIntervalSince1970: 1_769_860_800.25)

        let sql = "SELECT opened FROM accounts WHERE opened >= ?"
        let found: UnixDate? = try connection.query(sql, UnixDate(date))
        let after: UnixDate? = try connection.query(sql, UnixDate(date + 1))
        // As it is, a date is text, which is greater than all numbers.
        let wrong: Date? = try connection.query(sql, Date.distantPast)

        #expect(found?.date == date)
        #expect(after == nil)
        #expect(wrong == nil)
        try connection.forEachRow(sql, UnixDate(date)) { row in
            let opened: UnixDate = try row.get("opened")
            #expect(opened.date == date)
        }
    }

    @Test func datesOfCoreData() throws {
        struct CoreDataDate: RawRepresentable, Binding, Codable {
            var rawValue: Double
            var date: Date { Date(timeIntervalSinceReferenceDate: rawValue) }
        }
        struct Note: Codable, ExpressibleByRow {
            var created: CoreDataDate
        }
        let connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE ZNOTE(Z_PK INTEGER PRIMARY KEY, ZCREATED TIMESTAMP);
            INSERT INTO ZNOTE(ZCREATED) VALUES(791553600.25)
            """
        )

        let note: Note = try connection.query("SELECT ZCREATED AS created FROM ZNOTE")
        try connection.run("INSERT INTO ZNOTE(ZCREATED) VALUES(:created)", encoding: note)

        #expect(note.created.date == Date(timeIntervalSince1970: 1_769_860_800.25))
        let distinct: [Double] = try connection.query("SELECT DISTINCT ZCREATED FROM ZNOTE")
        #expect(distinct == [791_553_600.25])
    }

    @Test func theTable() throws {
        let connection = try Connection(path: path)
        let sql = "SELECT name, balance FROM accounts ORDER BY name"
        var balances: [Int?] = []
        let backupPath = folder.path("backup.sqlite")

        try connection.run("UPDATE accounts SET balance = ? WHERE name = ?", 5, "Ada")
        try connection.run("UPDATE accounts SET balance = ? WHERE name = ?", [nil, "Bob"])
        try connection.run("DELETE FROM accounts WHERE name = :name", ["name": "Eva"])
        let values: [String: (any Bindable)?] = ["name": "Eva"]
        try connection.run("DELETE FROM accounts WHERE name = :name", values)
        try connection.execute("CREATE TABLE a(x); CREATE TABLE b(x)")
        try connection.forEachRow(sql) { row in
            let balance: Int? = try row.get("balance")
            balances.append(balance)
        }
        let sum: Int? = try connection.query("SELECT sum(balance) FROM accounts")
        let row = try connection.query(sql)
        let cells = row?.columns.map(\.value)
        let names = ["Ada", "Eva"]
        let listed: [String] = try connection.query(
            "SELECT name FROM accounts WHERE name IN (SELECT value FROM json_each(?))",
            ArrayBinding(elements: names)
        )
        let isNull = try row?.get("balance") == BindingValue.null
        let hasColumn = try connection.columns(in: "accounts").contains { $0.name == "balance" }
        let hasTable = try connection.tableExists("accounts")
        var profiled: [SQL] = []
        let profiles = Connection.TraceEvent.profileMask
        connection.traceEvent(mask: profiles, expandsSQL: false) { event in
            if case .profile(let sql, _) = event {
                profiled.append(sql)
            }
        }
        try connection.run("DROP TABLE a")
        try connection.close()
        let queue = ConnectionQueue(connection: try Connection(path: path))
        let all: [String] = try queue.execute { try $0.query("SELECT name FROM accounts") }
        try database.backup(to: .onDisk(backupPath))

        #expect(balances == [5, nil])
        #expect(sum == 5)
        #expect(cells?.count == 2)
        #expect(!isNull)
        #expect(hasColumn)
        #expect(hasTable)
        #expect(profiled == ["DROP TABLE a"])
        #expect(listed == ["Ada"])
        #expect(Set(all) == ["Ada", "Bob"])
        #expect(FileManager.default.fileExists(atPath: backupPath))
    }
}
