import Foundation
import SQift
import Testing

enum DownloadState: Int, Binding {
    case pending = 1, downloading, done

    typealias BindingType = Int64
    var bindingValue: BindingValue { .integer(Int64(rawValue)) }
    static func fromBindingValue(_ value: Any) -> DownloadState? {
        guard let value = value as? Int64 else { return nil }
        return DownloadState(rawValue: Int(value))
    }
}

enum Direction: String, Binding {
    case north, south

    typealias BindingType = String
    var bindingValue: BindingValue { .text("d:" + rawValue) }
    static func fromBindingValue(_ value: Any) -> Direction? {
        return Direction(rawValue: String((value as! String).dropFirst(2)))
    }
}

struct Temperature: Binding, Equatable {
    typealias BindingType = Double
    let value: Double
    var bindingValue: BindingValue { return .real(value) }
    static func fromBindingValue(_ value: Any) -> Temperature? {
        return Temperature(value: value as! Double)
    }
}

final class Secret: Bindable {
    var bindingValue: BindingValue { return .blob(Data([1, 2, 3])) }
}

struct Password: Extractable {
    typealias BindingType = Data
    typealias DataType = Password
    let bytes: Data
    static func fromBindingValue(_ value: Any) -> Password? {
        return Password(bytes: value as! Data)
    }
}

struct Employee: CodableBinding, Equatable {
    typealias BindingType = Data
    let firstName: String
    let lastName: String
    let age: UInt
}

struct CGPointLike: Codable, Hashable {
    let x: Double
    let y: Double
}

/// Types that borrow what SQift's own are converted from.
private struct Birthday: Binding, Equatable {
    typealias BindingType = Date.BindingType
    let text: String
    var bindingValue: BindingValue { return .text(text) }
    static func fromBindingValue(_ value: Any) -> Birthday? {
        guard let value = value as? String else { return nil }
        return Birthday(text: value)
    }
}

private struct Flag: Binding, Equatable {
    typealias BindingType = Bool.BindingType
    let isSet: Bool
    var bindingValue: BindingValue { return isSet.bindingValue }
    static func fromBindingValue(_ value: Any) -> Flag? {
        guard let value = value as? Int64 else { return nil }
        return Flag(isSet: value != 0)
    }
}

private struct Ratio: Binding, Equatable {
    typealias BindingType = Float.BindingType
    let value: Float
    var bindingValue: BindingValue { return value.bindingValue }
    static func fromBindingValue(_ value: Any) -> Ratio? {
        return Float.fromBindingValue(value as! Double).map { Ratio(value: $0) }
    }
}

private struct Mask: Binding, Equatable {
    typealias BindingType = UInt64.BindingType
    let bits: UInt64
    var bindingValue: BindingValue { return bits.bindingValue }
    static func fromBindingValue(_ value: Any) -> Mask? {
        guard let value = value as? Int64 else { return nil }
        return Mask(bits: UInt64(bitPattern: value))
    }
}

private struct Size: Binding, Equatable {
    typealias BindingType = UInt.BindingType
    let bytes: UInt
    var bindingValue: BindingValue { return bytes.bindingValue }
    static func fromBindingValue(_ value: Any) -> Size? {
        return UInt.fromBindingValue(value as! Int64).map { Size(bytes: $0) }
    }
}

struct BindingCompatibilityTests {
    @Test func theBindingTypesAreThoseOfOld() {
        #expect(Bool.BindingType.self == Int64.self)
        #expect(Int8.BindingType.self == Int64.self)
        #expect(Int16.BindingType.self == Int64.self)
        #expect(Int32.BindingType.self == Int64.self)
        #expect(Int64.BindingType.self == Int64.self)
        #expect(Int.BindingType.self == Int64.self)
        #expect(UInt8.BindingType.self == Int64.self)
        #expect(UInt16.BindingType.self == Int64.self)
        #expect(UInt32.BindingType.self == Int64.self)
        #expect(UInt64.BindingType.self == Int64.self)
        #expect(UInt.BindingType.self == Int64.self)
        #expect(Float.BindingType.self == Double.self)
        #expect(Double.BindingType.self == Double.self)
        #expect(String.BindingType.self == String.self)
        #expect(URL.BindingType.self == String.self)
        #expect(Date.BindingType.self == String.self)
        #expect(Data.BindingType.self == Data.self)
    }

    @Test func aTypeThatBorrowsABindingTypeReadsWhatItRead() throws {
        let connection = try Connection()
        func check<T: Binding & Equatable>(_ value: T) throws {
            let read: T? = try connection.query("SELECT ?", value)
            #expect(read == value)
            let row: Row? = try connection.query("SELECT ? AS value", value)
            let fromRow: T? = row?["value"]
            #expect(fromRow == value)
        }
        try check(Birthday(text: "1985-01-01T00:00:00.000"))
        try check(Flag(isSet: true))
        try check(Flag(isSet: false))
        try check(Ratio(value: 1.5))
        try check(Mask(bits: .max))
        try check(Size(bytes: .max))
    }

    @Test func everyBuiltInTypeIsStoredInItsClassAndReadBack() throws {
        let connection = try Connection()
        func check<T: Binding & Equatable>(_ value: T, _ type: String) throws {
            let values: [Bindable?] = [value]
            let stored: String? = try connection.query("SELECT typeof(?)", values)
            #expect(stored == type)
            let read: T? = try connection.query("SELECT ?", values)
            #expect(read == value)
        }
        try check(true, "integer")
        try check(Int8.min, "integer")
        try check(Int16.min, "integer")
        try check(Int32.min, "integer")
        try check(Int64.min, "integer")
        try check(Int.max, "integer")
        try check(UInt8.max, "integer")
        try check(UInt16.max, "integer")
        try check(UInt32.max, "integer")
        try check(UInt64.max, "integer")
        try check(UInt.max, "integer")
        try check(Float(1.5), "real")
        try check(Double.pi, "real")
        try check("å\0b", "text")
        try check(URL(string: "https://example.org/")!, "text")
        try check(Date(timeIntervalSince1970: 1.5), "text")
        try check(Data([0, 1]), "blob")
        try check(Data(), "blob")
        let null: String? = try connection.query("SELECT typeof(?)", NSNull())
        #expect(null == "null")
    }

    @Test func bindingValuesAreTheFiveClasses() {
        let values: [BindingValue] = [.null, .integer(1), .real(1), .text("a"), .blob(Data())]
        #expect(
            values == [
                NSNull().bindingValue, 1.bindingValue, 1.0.bindingValue, "a".bindingValue,
                Data().bindingValue,
            ]
        )
        for value in values {
            switch value {
            case .null, .integer, .real, .text, .blob: break
            }
        }
        #expect(Int.fromBindingValue(Int64(1)) == 1)
        #expect(Double.fromBindingValue(1.5) == 1.5)
        #expect(String.fromBindingValue("a") == "a")
        #expect(Data.fromBindingValue(Data([1])) == Data([1]))
        #expect(Bool.fromBindingValue(Int64(0)) == false)
        #expect(Date.fromBindingValue("1970-01-01T00:00:00.000") == Date(timeIntervalSince1970: 0))
        #expect(URL.fromBindingValue("a")?.absoluteString == "a")
    }

    @Test func aCustomEnumIsAParameterAndAResult() throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE downloads(name TEXT, state INTEGER)")
        try connection.run("INSERT INTO downloads VALUES(?, ?)", "image1", DownloadState.pending)
        let state: DownloadState? = try connection.query(
            "SELECT state FROM downloads WHERE name = ?",
            "image1"
        )
        #expect(state == .pending)
        let type: String? = try connection.query("SELECT typeof(state) FROM downloads")
        #expect(type == "integer")
        let none: DownloadState? = try connection.query(
            "SELECT state FROM downloads WHERE name = ?",
            "image2"
        )
        #expect(none == nil)
    }

    @Test func aRawRepresentableKeepsItsOwnConversions() throws {
        let connection = try Connection()
        let stored: String? = try connection.query("SELECT ?", Direction.south)
        #expect(stored == "d:south")
        let read: Direction? = try connection.query("SELECT ?", Direction.south)
        #expect(read == .south)
    }

    @Test func customTypesAreStoredAndRead() throws {
        let connection = try Connection()
        let temperature: Temperature? = try connection.query("SELECT ?", Temperature(value: 1.5))
        #expect(temperature == Temperature(value: 1.5))
        let password: Password? = try connection.query("SELECT ?", Secret())
        #expect(password?.bytes == Data([1, 2, 3]))
        let row: Row? = try connection.query("SELECT 20.5 AS t")
        let fromRow: Temperature? = row?["t"]
        #expect(fromRow == Temperature(value: 20.5))
    }

    @Test func codableValuesAreStoredWhole() throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE employees(id INTEGER PRIMARY KEY, employee BLOB)")
        let employee = Employee(firstName: "Phil", lastName: "Knight", age: 80)
        try connection.run("INSERT INTO employees(employee) VALUES(?)", employee)
        let read: Employee? = try connection.query("SELECT employee FROM employees")
        #expect(read == employee)
        let name: String? = try connection.query(
            "SELECT json_extract(employee, '$.firstName') FROM employees"
        )
        #expect(name == "Phil")
    }

    @Test func theBlobThatSQift5StoredIsRead() throws {
        let connection = try Connection()
        let employee = Employee(firstName: "Phil", lastName: "Knight", age: 80)
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let read: Employee? = try connection.query("SELECT ?", try encoder.encode(employee))
        #expect(read == employee)
    }

    @Test func codableCollections() throws {
        let connection = try Connection()
        let points: ArrayBinding = [CGPointLike(x: 1.0, y: 2.0), CGPointLike(x: 3.0, y: 4.0)]
        let set: SetBinding = ["a", "b"]
        let dictionary: DictionaryBinding = ["a": 1, "b": 2]
        let readPoints: ArrayBinding<CGPointLike>? = try connection.query("SELECT ?", points)
        let readSet: SetBinding<String>? = try connection.query("SELECT ?", set)
        let readDictionary: DictionaryBinding<String, Int>? = try connection.query(
            "SELECT ?",
            dictionary
        )
        #expect(readPoints?.elements == [CGPointLike(x: 1.0, y: 2.0), CGPointLike(x: 3.0, y: 4.0)])
        #expect(readSet?.elements == ["a", "b"])
        #expect(readDictionary?.elements == ["a": 1, "b": 2])
    }

    @Test func theDateFormatterIsAGlobalVariable() async {
        await #expect(processExitsWith: .success) {
            let formatter = DateFormatter()
            formatter.dateFormat = "yyyy-MM-dd HH:mm"
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(identifier: "UTC")
            bindingDateFormatter = formatter
            let connection = try Connection()
            let text: String? = try connection.query("SELECT ?", Date(timeIntervalSince1970: 60))
            #expect(text == "1970-01-01 00:01")
            let date: Date? = try connection.query("SELECT ?", Date(timeIntervalSince1970: 60))
            #expect(date == Date(timeIntervalSince1970: 60))
            let current: DateFormatter = bindingDateFormatter
            #expect(current === formatter)
        }
    }
}
