import Foundation

/// The files of a database, as bytes.
struct DatabaseImage {
    enum Part: String, CaseIterable {
        case main = ""
        case wal = "-wal"
        case journal = "-journal"
    }

    let name: String
    let pageSize: Int
    private(set) var files: [Part: [UInt8]] = [:]

    /// The parts that there are.
    var parts: [Part] { Part.allCases.filter { self[$0].count > 0 } }

    subscript(part: Part) -> [UInt8] {
        get { files[part] ?? [] }
        set { files[part] = newValue }
    }

    /// Takes the files at a path, whoever has them open.
    init(name: String, pageSize: Int, readingFrom path: String) throws {
        self.name = name
        self.pageSize = pageSize
        for part in Part.allCases {
            let file = path + part.rawValue
            guard let data = FileManager.default.contents(atPath: file) else { continue }
            self[part] = Array(data)
        }
    }

    /// Puts the files, and nothing else, at a path.
    func write(to path: String) throws {
        for part in Part.allCases {
            let bytes = self[part]
            let isWritten =
                bytes.isEmpty && part != .main
                || FileManager.default.createFile(
                    atPath: path + part.rawValue,
                    contents: Data(bytes)
                )
            try expect(isWritten, "\(path)\(part.rawValue) can't be written")
        }
    }

    // MARK: Pages

    /// Where the pages begin that a part holds. https://sqlite.org/fileformat.html
    func pageOffsets(in part: Part) -> [Int] {
        let (header, before, after) =
            switch part {
            case .main: (0, 0, 0)
            case .wal: (WriteAheadLog.headerSize, WriteAheadLog.frameHeaderSize, 0)
            case .journal: (RollbackJournal.headerSize, 4, 4)
            }
        let step = before + pageSize + after
        let count = max(self[part].count - header, 0) / step
        return (0..<count).map { header + before + $0 * step }
    }

    /// Computes the checksums of the WAL and of the journal anew, so that SQLite takes what they
    /// hold.
    mutating func mendChecksums() {
        WriteAheadLog.mendChecksums(in: &self[.wal], pageSize: pageSize)
        RollbackJournal.mendChecksums(
            in: &self[.journal],
            pageOffsets: pageOffsets(in: .journal),
            pageSize: pageSize
        )
    }

    /// Replaces the random numbers of the WAL and of the journal: the same bytes in each run.
    mutating func removeRandomness() {
        WriteAheadLog.setSalts(in: &self[.wal], pageSize: pageSize)
        RollbackJournal.setNonce(in: &self[.journal])
        mendChecksums()
    }
}

extension [UInt8] {
    /// Numbers are stored with the most significant byte first.
    func number(at offset: Int, size: Int) -> UInt64 {
        guard offset >= 0, offset + size <= count else { return 0 }
        return self[offset..<offset + size].reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func setNumber(_ number: UInt64, at offset: Int, size: Int) {
        guard offset >= 0, offset + size <= count else { return }
        for index in 0..<size {
            self[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * (size - 1 - index)))
        }
    }
}
