/// A disk that keeps what was synced, and some of the rest.
struct SimulatedDisk {
    private typealias FileNumber = Recording.FileNumber
    private typealias Change = Recording.Change

    private let order: FolderOrder
    private var names: [String: FileNumber]
    private var contents: [FileNumber: [UInt8]]
    /// What isn't synced yet.
    private var pending: [Change] = []

    /// The disk before the recorded changes. What was there then is synced.
    init(_ recording: Recording, order: FolderOrder) {
        self.order = order
        names = recording.names
        contents = recording.contents
    }

    /// Takes the next change.
    mutating func take(_ change: Recording.Change) {
        switch change {
        case .create, .write, .truncate, .unlink, .rename: pending.append(change)
        case .sync(let file): sync(file)
        case .syncFolder: keepPending { $0.isOfNames }
        case .promise: break
        }
    }

    private mutating func sync(_ file: FileNumber) {
        if order == .kept, let creation = pending.lastIndex(where: { $0.createdFile == file }) {
            // What comes before in the folder has arrived too.
            var namesBefore = pending[...creation].filter(\.isOfNames).count
            keepPending { change in
                guard change.isOfNames else { return false }
                namesBefore -= 1
                return namesBefore >= 0
            }
        }
        keepPending { $0.changedFile == file }
    }

    /// Makes some of the pending changes durable.
    private mutating func keepPending(where isKept: (Change) -> Bool) {
        var rest: [Change] = []
        for change in pending {
            if isKept(change) {
                apply(change)
            } else {
                rest.append(change)
            }
        }
        pending = rest
    }

    /// How many changes of names aren't synced.
    var pendingNameCount: Int { pending.count { $0.isOfNames } }

    /// What is on the disk if the power fails now.
    ///
    /// - Parameter number: Which cut of its kind it is.
    func image(
        after cut: PowerCut,
        number: Int = 0,
        using generator: inout SeededGenerator
    ) -> DiskImage {
        var disk = self
        var next = cut.arrivingNames(
            of: pendingNameCount,
            order: order,
            number: number,
            using: &generator
        ).makeIterator()
        for change in pending {
            if change.isOfNames {
                if next.next() == true {
                    disk.apply(change)
                }
            } else {
                disk.apply(change, cut, using: &generator)
            }
        }
        return DiskImage(files: disk.names.mapValues { disk.contents[$0] ?? [] })
    }

    /// Applies as much of a change of content as the cut lets through.
    private mutating func apply(
        _ change: Change,
        _ cut: PowerCut,
        using generator: inout SeededGenerator
    ) {
        switch change {
        case .write(let file, let offset, let bytes):
            let range = offset..<(offset + bytes.count)
            for part in cut.arrivingParts(of: range, using: &generator) {
                write(bytes[(part.lowerBound - offset)..<(part.upperBound - offset)], part, file)
            }
        default:
            // A truncation arrives as a whole.
            if !cut.arrivingParts(of: 0..<1, using: &generator).isEmpty {
                apply(change)
            }
        }
    }

    private mutating func apply(_ change: Change) {
        switch change {
        case .create(let name, let file):
            names[name] = file
        case .write(let file, let offset, let bytes):
            write(bytes[...], offset..<(offset + bytes.count), file)
        case .truncate(let file, let size):
            resize(file, to: size)
        case .unlink(let name):
            names[name] = nil
        case .rename(let name, let newName, let file):
            // The file's creation under the old name may not have arrived.
            if names[name] == file {
                names[name] = nil
            }
            names[newName] = file
        case .sync, .syncFolder, .promise:
            break
        }
    }

    private mutating func write(_ bytes: ArraySlice<UInt8>, _ range: Range<Int>, _ file: FileNumber)
    {
        if contents[file, default: []].count < range.upperBound {
            resize(file, to: range.upperBound)
        }
        contents[file]?.replaceSubrange(range, with: bytes)
    }

    private mutating func resize(_ file: FileNumber, to size: Int) {
        let count = contents[file, default: []].count
        if count > size {
            contents[file]?.removeLast(count - size)
        } else {
            contents[file, default: []] += Array(repeating: 0, count: size - count)
        }
    }
}
