import Foundation
import SQiftTestSupport
import Testing

import SQift

struct BindingValueTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    @Test(arguments: [
        (BindingValue.null, "null"), (.integer(.min), "integer"), (.integer(.max), "integer"),
        (.real(1), "real"),
        (.real(.infinity), "real"), (.text(""), "text"), (.text("a\u{0}b"), "text"),
        (.blob(Data()), "blob"),
        (.blob(Data([0, 1])), "blob"),
    ])
    func isStoredAsItself(value: BindingValue, type: String) throws {
        #expect(try storageClass(of: value) == type)
        #expect(try Connection().query("SELECT ?", value) as BindingValue == value)
        #expect(value.bindingValue == value)
        let row: Row? = try Connection().query("SELECT ?", [value])
        #expect(try row?.bindingValue(at: 0) == value)
        #expect(try row?.get(0) as BindingValue? == (value == .null ? nil : value))
    }

    @Test(arguments: [
        ("1", BindingValue.integer(1)), ("1.0", .real(1)), ("'1'", .text("1")),
        ("x'31'", .blob(Data("1".utf8))),
        ("x''", .blob(Data())), ("9e999", .real(.infinity)),
    ])
    func readsEveryStorageClass(expression: String, value: BindingValue) throws {
        try expectReading(expression, as: BindingValue.self, is: value)
    }

    @Test func readsNullAsItsNullCase() throws {
        #expect(try connection.query("SELECT NULL") as BindingValue == .null)
        #expect(try connection.query("SELECT NULL") as BindingValue? == nil)
        #expect(try connection.query("VALUES(NULL), (1)") as [BindingValue?] == [nil, .integer(1)])
        #expect(
            try connection.query("VALUES(1), (NULL), ('a')") as [BindingValue] == [
                .integer(1), .null, .text("a"),
            ]
        )
    }

    @Test func isMadeFromThePlainValues() {
        #expect(BindingValue.fromBindingValue(Int64(1)) == .integer(1))
        #expect(BindingValue.fromBindingValue(1.5) == .real(1.5))
        #expect(BindingValue.fromBindingValue("a") == .text("a"))
        #expect(BindingValue.fromBindingValue(Data([1])) == .blob(Data([1])))
    }

    @Test(arguments: [
        (BindingValue.null, "NULL"), (.integer(-1), "-1"), (.real(1.5), "1.5"),
        (.text("it's"), "'it''s'"),
        (.blob(Data([0, 255])), "x'00ff'"), (.blob(Data()), "x''"),
    ])
    func isDescribedAsTheLiteralThatSQLiteReadsBack(value: BindingValue, literal: String) throws {
        #expect("\(value)" == literal)
        #expect(try Connection().query("SELECT \(value)") as BindingValue == value)
    }

    @Test func equalStorageIsNeededForEquality() {
        #expect(BindingValue.integer(1) != .real(1))
        #expect(BindingValue.text("") != .blob(Data()))
        #expect(BindingValue.null != .text(""))
    }

    @Test func nsNullIsNull() throws {
        #expect(try storageClass(of: NSNull()) == "null")
        #expect(NSNull().bindingValue == .null)
        #expect(try connection.query("SELECT typeof(?)", [NSNull()]) == "null")
    }

    @Test func nilIsNullInEveryForm() throws {
        let nothing: String? = nil
        let existential: (any Bindable)? = nil
        let optional: String = try connection.query("SELECT typeof(?)", [nothing])
        let literal: String = try connection.query("SELECT typeof(?)", nil)
        let erased: String = try connection.query("SELECT typeof(?)", existential)
        let array: String = try connection.query("SELECT typeof(?)", [nil])
        let named: String = try connection.query("SELECT typeof(:a)", [":a": nil])
        #expect([optional, literal, erased, array, named] == Array(repeating: "null", count: 5))
        #expect(nothing.bindingValue == .null)
        #expect(String?("a").bindingValue == .text("a"))
    }
}
