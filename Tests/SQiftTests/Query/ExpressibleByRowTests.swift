import Foundation
import SQiftTestSupport
import Testing

import SQift

/// A type that is stored in one column and can be read from a row of two.
private struct Amount: Binding, ExpressibleByRow, Hashable {
    typealias BindingType = Int64
    let cents: Int64

    init(cents: Int64) {
        self.cents = cents
    }

    init(row: Row) throws {
        let (whole, part): (Int64, Int64) = (try row.get("whole"), try row.get("part"))
        cents = whole * 100 + part
    }

    var bindingValue: BindingValue { .integer(cents) }
    static func fromBindingValue(_ value: Any) -> Amount? {
        (value as? Int64).map(Amount.init(cents:))
    }
}

private struct Throwing: ExpressibleByRow {
    init(row: Row) throws {
        if let number: Int = try row.get(0) {
            throw TestError(reason: "\(number)")
        }
    }
}

private struct Picky: ExpressibleByRow {
    let name: String

    init(row: Row) throws {
        guard let name: String = row["name"] else {
            throw ExpressibleByRowError(type: Picky.self, row: row)
        }
        self.name = name
    }
}

/// A class that keeps its row, as it may if it is detached.
private final class Record: ExpressibleByRow {
    let row: Row
    required init(row: Row) {
        self.row = row.detached()
    }
}

struct ExpressibleByRowTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    @Test func anErrorOfTheInitialiserComesOutUnchanged() throws {
        let statement = try connection.prepare("VALUES(NULL), (7)")
        #expect(throws: TestError(reason: "7")) {
            _ = try connection.query("SELECT 7") as Throwing
        }
        #expect(throws: TestError(reason: "7")) {
            _ = try connection.query("SELECT 7") as Throwing?
        }
        #expect(throws: TestError(reason: "7")) {
            _ = try connection.query("VALUES(NULL), (7)") as [Throwing]
        }
        #expect(throws: TestError(reason: "7")) { _ = try statement.query() as [Throwing] }
        #expect(!statement.isBusy)
        let first: Throwing? = try statement.query()
        #expect(first != nil)
    }

    @Test func theErrorNamesTheTypeAndTheColumns() throws {
        let error = try #require(throws: ExpressibleByRowError.self) {
            _ = try connection.query("SELECT 1 AS id, NULL AS name") as Picky
        }
        #expect("\(error.type)" == "Picky")
        #expect(error.columns.map(\.name) == ["id", "name"])
        #expect(error.columns.map(\.bindingValue) == [.integer(1), .null])
        for text in [error.description, error.errorDescription ?? "", error.failureReason ?? ""] {
            #expect(text.contains("Picky"))
            #expect(text.contains("id"))
            #expect(text.contains("name"))
        }
        #expect(error.localizedDescription == error.errorDescription)
    }

    @Test func theErrorMayOutliveTheRow() throws {
        let statement = try connection.prepare("VALUES(1, 'a'), (2, NULL)")
        var caught: [ExpressibleByRowError] = []
        try statement.forEachRow { row in
            caught.append(ExpressibleByRowError(type: Picky.self, row: row))
        }
        #expect(
            caught.map { $0.columns.map(\.bindingValue) } == [
                [.integer(1), .text("a")], [.integer(2), .null],
            ]
        )
    }

    @Test func aTypeThatIsExtractableTooIsReadAsARowForWholeResults() throws {
        let sql = "SELECT 9 AS other, 1 AS whole, 50 AS part"
        let one: Amount = try connection.query(sql)
        let optional: Amount? = try connection.query(sql)
        let many: [Amount] = try connection.query(sql)
        let prepared: [Amount] = try connection.prepare(sql).query()
        let expected = Amount(cents: 150)
        #expect(one == expected)
        #expect(optional == expected)
        #expect(many == [expected])
        #expect(try connection.query(sql) as [Amount?] == [expected])
        #expect(prepared == [expected])
        let missing: Amount? = try connection.query("SELECT 1 AS whole, 2 AS part WHERE 0")
        #expect(missing == nil)
    }

    @Test func aFirstColumnOfNullIsStillARowForIt() throws {
        #expect(
            try connection.query("SELECT NULL AS other, 1 AS whole, 50 AS part") as Amount?
                == Amount(cents: 150)
        )
    }

    @Test func aTypeThatIsExtractableTooIsReadAsAValueInColumns() throws {
        let row: Row? = try connection.query("SELECT ? AS a", [Amount(cents: 5)])
        #expect(row?["a"] == Amount(cents: 5))
        #expect(try row?.get(0) == Amount(cents: 5))
        #expect(
            try connection.query("SELECT 'a', 7") as [String: Amount] == ["a": Amount(cents: 7)]
        )
        #expect(
            try connection.query("SELECT 7, NULL") as [Amount: Amount?] == [Amount(cents: 7): nil]
        )
        let inClosure: [Amount] = try connection.query("SELECT 3") { try $0.get(0) }
        #expect(inClosure == [Amount(cents: 3)])
    }

    @Test func aClassIsMadeFromARowAndMayKeepItsValues() throws {
        let records: [Record] = try connection.query("VALUES(1, 'a'), (2, 'b')")
        #expect(records.map(\.row.description) == ["[1, 'a']", "[2, 'b']"])
        let one: Record = try connection.query("SELECT 1")
        #expect(one.row.description == "[1]")
    }
}
