/// What a power failure leaves of the changes that weren't synced.
enum PowerCut: String, CaseIterable {
    case nothing
    case everything
    /// The names, but no content.
    case names
    /// The content, but no names.
    case content
    /// Everything but one change of a name, and but the later ones if names arrive in order.
    case oneLost
    /// Some changes.
    case some
    /// Some changes, and of each write some of the disk's sectors.
    case torn

    /// The bytes that a disk writes as a whole.
    static let sectorSize = 512

    /// The numbers of the different cuts of this kind.
    ///
    /// - Parameters:
    ///   - nameCount: How many changes of names aren't synced.
    ///   - sampleCount: How many cuts there are if chance decides what is left.
    func numbers(nameCount: Int, sampleCount: Int) -> Range<Int> {
        switch self {
        case .nothing, .everything, .names, .content: 0..<1
        case .oneLost: 0..<min(nameCount, 8)
        case .some, .torn: 0..<sampleCount
        }
    }

    /// Which changes of names arrive, as one flag for each.
    func arrivingNames(
        of count: Int,
        order: FolderOrder,
        number: Int,
        using generator: inout SeededGenerator
    ) -> [Bool] {
        switch self {
        case .nothing, .content:
            return Array(repeating: false, count: count)
        case .everything, .names:
            return Array(repeating: true, count: count)
        case .oneLost:
            let lost = count - 1 - number
            return (0..<count).map { order == .kept ? $0 < lost : $0 != lost }
        case .some, .torn:
            break
        }
        guard order == .kept else {
            return (0..<count).map { _ in .random(using: &generator) }
        }
        let arrivingCount = Int.random(in: 0...count, using: &generator)
        return (0..<count).map { $0 < arrivingCount }
    }

    /// The parts of a write that arrive.
    func arrivingParts(
        of range: Range<Int>,
        using generator: inout SeededGenerator
    ) -> [Range<Int>] {
        switch self {
        case .nothing, .names: return []
        case .everything, .content, .oneLost: return [range]
        case .some: return Bool.random(using: &generator) ? [range] : []
        case .torn: break
        }
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min((start / Self.sectorSize + 1) * Self.sectorSize, range.upperBound)
            if Bool.random(using: &generator) {
                parts.append(start..<end)
            }
            start = end
        }
        return parts
    }
}
