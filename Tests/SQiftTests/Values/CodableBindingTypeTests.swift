import Foundation
import SQiftTestSupport
import Testing

import SQift

/// What a `CodableBinding` is stored as, with and without a `BindingType` of its own.
struct CodableBindingTypeTests {
    struct Engine: CodableBinding, Equatable { var cylinders: Int }

    struct Box<Content: Codable & Equatable>: CodableBinding, Equatable {
        var content: Content
    }

    enum Fuel: String, CodableBinding { case petrol, diesel }

    enum Colour: String, CodableBinding {
        typealias BindingType = Data
        case red
    }

    struct Version: CodableBinding, Equatable {
        typealias BindingType = String
        var number: Int

        var bindingValue: BindingValue { .text("v\(number)") }

        static func fromBindingValue(_ value: Any) -> Version? {
            (value as? String).flatMap { Int($0.dropFirst()) }.map(Version.init)
        }
    }

    struct Even: CodableBinding {
        var number: Int

        static func fromBindingValue(_ value: Any) -> Even? {
            guard let data = value as? Data,
                let even = try? JSONDecoder().decode(Even.self, from: data),
                even.number.isMultiple(of: 2)
            else {
                return nil
            }
            return even
        }
    }

    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    private func stored(_ value: any Bindable) throws -> BindingValue {
        try connection.query("SELECT ?", [value])
    }

    @Test func withoutABindingTypeItIsStoredAsJSON() throws {
        let engine = Engine(cylinders: 6)
        #expect(try stored(engine) == .text(#"{"cylinders":6}"#))
        #expect(try connection.query("SELECT ?", engine) as Engine == engine)
        #expect(Engine.BindingType.self == Data.self)
    }

    @Test func aGenericTypeNeedsNoBindingTypeEither() throws {
        let box = Box(content: ["a"])
        #expect(try stored(box) == .text(#"{"content":["a"]}"#))
        #expect(try connection.query("SELECT ?", box) as Box<[String]> == box)
    }

    @Test func anEnumerationIsStillStoredAsItsRawValue() throws {
        #expect(try stored(Fuel.diesel) == .text("diesel"))
        #expect(try connection.query("SELECT 'diesel'") as Fuel == .diesel)
    }

    @Test func anEnumerationThatAsksForJSONIsStoredAsJSON() throws {
        #expect(try stored(Colour.red) == .text(#""red""#))
        #expect(try connection.query("SELECT '\"red\"'") as Colour == .red)
    }

    @Test func anOwnBindingTypeStays() throws {
        #expect(try stored(Version(number: 3)) == .text("v3"))
        #expect(try connection.query("SELECT 'v4'") as Version == Version(number: 4))
    }

    @Test func aTypeMayRefuseJSONThatItCouldDecode() throws {
        #expect(try connection.query("SELECT '{\"number\":2}'") as Even? != nil)
        let error = #expect(throws: ExtractionError.self) {
            try connection.query("SELECT '{\"number\":3}'") as Even
        }
        expect(error, .mismatch)
        #expect(error?.underlyingError == nil)
    }
}
