/// Something that can be done with the database of a row.
struct PairOperation {
    let name: String
    /// The values with which there is no such thing.
    let absentWith: [PropertyValue]
    /// Whether it is meant to move the WAL into the file.
    let makesCheckpoint: Bool
    /// What the SQLite in use has to have.
    let need: Scenario.Need?
    /// Does it, checks what it returns, and brings the row's model up to date.
    let run: (PairTrial) throws -> Void

    init(
        _ name: String,
        absentWith: [PropertyValue] = [],
        makesCheckpoint: Bool = false,
        need: Scenario.Need? = nil,
        run: @escaping (PairTrial) throws -> Void
    ) {
        self.name = name
        self.absentWith = absentWith
        self.makesCheckpoint = makesCheckpoint
        self.need = need
        self.run = run
    }

    func exists(in combination: Combination) -> Bool {
        !absentWith.contains { combination.contains($0) }
    }

    /// The table of operations.
    static var all: [PairOperation] { reading + writing + migrating + copying + managing }

    /// Without a journal nothing can be rolled back.
    static let unsafe = [PropertyValue(Journal.off)]
    /// What only reads has no owner that can't.
    static let writers = [PropertyValue(Owner.pool)]
    static let databases = [Owner.connection, .queue, .pool].map { PropertyValue($0) }
    static let files = [Location.memory, .namedMemory, .temporary].map { PropertyValue($0) }
    static let shared = [Location.memory, .temporary].map { PropertyValue($0) }
}
