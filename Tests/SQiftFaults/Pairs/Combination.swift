/// A value of a property, as numbers.
struct PropertyValue: Hashable, Sendable {
    let property: Int
    let number: Int

    init(property: Int, number: Int) {
        self.property = property
        self.number = number
    }

    init<P: Property>(_ value: P) {
        property = Self.index(of: P.self)
        number = P.allCases.firstIndex(of: value) ?? 0
    }

    static func index(of property: any Property.Type) -> Int {
        allProperties.firstIndex { $0 == property } ?? 0
    }

    static func values(ofProperty index: Int) -> [PropertyValue] {
        allProperties[index].allCases.indices.map { PropertyValue(property: index, number: $0) }
    }

    /// As `journal wal`.
    var description: String {
        let property = allProperties[property]
        func name<P: Property>(_: P.Type) -> String { "\(P.title) \(P.allCases[number].rawValue)" }
        return name(property)
    }
}

/// One value of each property: what the database of a row is.
struct Combination: Hashable, Sendable {
    private var numbers: [Int]

    /// The usual value of each property.
    static let usual = Combination(numbers: allProperties.map { _ in 0 })

    init(numbers: [Int]) {
        self.numbers = numbers
    }

    subscript<P: Property>(_: P.Type) -> P { P.allCases[numbers[PropertyValue.index(of: P.self)]] }

    func contains(_ value: PropertyValue) -> Bool { numbers[value.property] == value.number }

    mutating func set(_ value: PropertyValue) {
        numbers[value.property] = value.number
    }

    func with(_ values: [PropertyValue]) -> Combination {
        var copy = self
        values.forEach { copy.set($0) }
        return copy
    }

    var values: [PropertyValue] {
        numbers.enumerated().map { PropertyValue(property: $0.offset, number: $0.element) }
    }

    /// The values that aren't the usual ones.
    var description: String {
        let unusual = values.filter { $0.number > 0 }.map(\.description)
        return unusual.isEmpty ? "everything usual" : unusual.joined(separator: ", ")
    }

    var location: Location { self[Location.self] }
    var journal: Journal { self[Journal.self] }
    var encryption: Encryption { self[Encryption.self] }
    var schemaCall: SchemaCall { self[SchemaCall.self] }
    var attachments: Attachments { self[Attachments.self] }
    var tableKind: TableKind { self[TableKind.self] }
    var owner: Owner { self[Owner.self] }
    var isHardened: Bool { self[Hardening.self] == .on }
    var hasForeignKeys: Bool { self[ForeignKeys.self] == .on }
    var hasHeldState: Bool { self[HeldState.self] == .held }
    var hasExternalCheckpoints: Bool { self[Checkpoints.self] == .external }

    /// The journal that SQLite has for such a location.
    var isWAL: Bool { journal == .wal && location.hasFile }
}
