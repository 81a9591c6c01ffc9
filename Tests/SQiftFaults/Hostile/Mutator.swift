/// Changes the bytes of a database at random places, and notes what it did.
struct Mutator {
    var image: DatabaseImage
    var generator: SeededGenerator
    private(set) var changes: [String] = []

    init(_ image: DatabaseImage, using generator: SeededGenerator) {
        self.image = image
        self.generator = generator
    }

    /// Makes some changes.
    mutating func mutate() {
        let count = number(below: 4) + 1
        for _ in 0..<count {
            change()
        }
        // Otherwise SQLite would see in almost every case that a WAL or a journal isn't whole, and
        // ignore it.
        if number(below: 8) > 0 {
            image.mendChecksums()
        }
    }

    /// Changes the schema through SQLite, in a copy at a path.
    mutating func editSchema(at path: String) throws {
        let edit = SchemaEdit.random(using: &generator)
        image = try edit.apply(to: image, at: path)
        changes.append(edit.sql)
    }

    mutating func number(below limit: Int) -> Int {
        limit > 0 ? Int.random(in: 0..<limit, using: &generator) : 0
    }

    mutating func pick<T>(_ elements: [T]) -> T {
        elements[number(below: elements.count)]
    }

    private mutating func change() {
        let part = pick(image.parts.isEmpty ? [.main] : image.parts)
        let count = image[part].count
        guard count > 0 else { return }
        switch number(below: 20) {
        case 0...3: changeBytes(in: part, at: number(below: count))
        case 4...6: changeHeader(of: part)
        case 7...9: changePageHeader(in: part)
        case 10, 11: changeCellPointer(in: part)
        case 12...15: changeCell(in: part)
        case 16: movePages(in: part)
        case 17: resize(part)
        case 18: shift(part)
        default: overwrite(part)
        }
    }

    // MARK: Anywhere

    private mutating func changeBytes(in part: DatabaseImage.Part, at offset: Int) {
        switch number(below: 3) {
        case 0: image[part][offset] ^= 1 << UInt8(number(below: 8))
        case 1: set(edge(size: 1), at: offset, size: 1, in: part)
        default: set(edge(size: 4), at: offset, size: 4, in: part)
        }
        note("byte \(offset)", in: part)
    }

    /// Random bytes over what there is.
    private mutating func overwrite(_ part: DatabaseImage.Part) {
        let start = number(below: image[part].count)
        let end = min(start + number(below: 64) + 1, image[part].count)
        for offset in start..<end {
            image[part][offset] = .random(in: 0...255, using: &generator)
        }
        note("bytes \(start)..<\(end)", in: part)
    }

    /// What follows moves forwards or backwards.
    private mutating func shift(_ part: DatabaseImage.Part) {
        let start = number(below: image[part].count)
        let end = min(start + number(below: 16) + 1, image[part].count)
        if number(below: 2) == 0 {
            image[part].removeSubrange(start..<end)
        } else {
            let copy = image[part][start..<end]
            image[part].insert(contentsOf: copy, at: start)
        }
        note("shifted at \(start)", in: part)
    }

    private mutating func resize(_ part: DatabaseImage.Part) {
        let count = image[part].count
        let size = image.pageSize
        switch number(below: 4) {
        case 0: image[part].removeLast(number(below: count))
        case 1: image[part].removeLast(count - number(below: count / size + 1) * size)
        case 2: image[part] += [UInt8](repeating: 0, count: number(below: 2 * size))
        default: image[part] += image[part].prefix(number(below: count))
        }
        note("\(count) bytes became \(image[part].count)", in: part)
    }

    // MARK: Headers and pages

    private mutating func changeHeader(of part: DatabaseImage.Part) {
        // The 16-bit page size, single bytes, and 32-bit numbers.
        let fields: [(offset: Int, size: Int)] =
            switch part {
            case .main:
                [(16, 2)] + (18...23).map { ($0, 1) }
                    + stride(from: 24, to: 100, by: 4).map { ($0, 4) }
            case .wal: stride(from: 0, to: 32, by: 4).map { ($0, 4) } + frameFields
            case .journal: stride(from: 0, to: 28, by: 4).map { ($0, 4) } + recordFields
            }
        let field = pick(fields)
        set(edge(size: field.size), at: field.offset, size: field.size, in: part)
        note("header field \(field.offset)", in: part)
    }

    /// The page's number, the size after the commit and the salts of some frame.
    private var frameFields: [(offset: Int, size: Int)] {
        mutating get {
            let frames = Array(WriteAheadLog.frames(in: image[.wal], pageSize: image.pageSize))
            guard !frames.isEmpty else { return [] }
            let frame = pick(frames)
            return [0, 4, 8, 12].map { (frame + $0, 4) }
        }
    }

    /// The page's number before some page.
    private var recordFields: [(offset: Int, size: Int)] {
        mutating get {
            let pages = image.pageOffsets(in: .journal)
            return pages.isEmpty ? [] : [(pick(pages) - 4, 4)]
        }
    }

    private mutating func movePages(in part: DatabaseImage.Part) {
        let pages = image.pageOffsets(in: part)
        guard !pages.isEmpty else { return }
        let one = pick(pages)
        let other = pick(pages)
        let size = image.pageSize
        let onePage = Array(image[part][one..<one + size])
        let otherPage = Array(image[part][other..<other + size])
        switch number(below: 3) {
        case 0:
            image[part].replaceSubrange(one..<one + size, with: otherPage)
            image[part].replaceSubrange(other..<other + size, with: onePage)
        case 1:
            image[part].replaceSubrange(one..<one + size, with: otherPage)
        default:
            image[part].replaceSubrange(one..<one + size, with: repeatElement(0, count: size))
        }
        note("pages at \(one) and \(other)", in: part)
    }

    private mutating func changePageHeader(in part: DatabaseImage.Part) {
        guard let page = pickTree(in: part) else { return }
        let fields = [(0, 1), (1, 2), (3, 2), (5, 2), (7, 1), (8, 4)]
        let field = pick(fields)
        let kinds: [UInt64] = [0, 1, 2, 5, 10, 13, 255]
        let value = field.0 == 0 ? pick(kinds) : edge(size: field.1)
        set(value, at: page + field.0, size: field.1, in: part)
        note("field \(field.0) of the page at \(page)", in: part)
    }

    private mutating func changeCellPointer(in part: DatabaseImage.Part) {
        guard let page = pickTree(in: part), let pointer = pickCellPointer(of: page, in: part)
        else {
            return
        }
        set(edge(size: 2), at: pointer, size: 2, in: part)
        note("cell pointer \(pointer)", in: part)
    }

    /// The first bytes of a cell: its sizes, its key, the types of its values, and the values.
    private mutating func changeCell(in part: DatabaseImage.Part) {
        guard let page = pickTree(in: part), let pointer = pickCellPointer(of: page, in: part)
        else {
            return
        }
        let start = page / image.pageSize * image.pageSize
        let base = part == .main ? start : page
        let cell = base + Int(image[part].number(at: pointer, size: 2))
        let offset = cell + number(below: 24)
        set(edge(size: 1), at: offset, size: 1, in: part)
        note("byte \(offset - cell) of the cell at \(cell)", in: part)
    }

    /// Where the tree's header is in some page.
    private mutating func pickTree(in part: DatabaseImage.Part) -> Int? {
        let pages = image.pageOffsets(in: part)
        guard !pages.isEmpty else { return nil }
        let page = pick(pages)
        return part == .main && page == 0 ? 100 : page
    }

    private mutating func pickCellPointer(of page: Int, in part: DatabaseImage.Part) -> Int? {
        let count = Int(image[part].number(at: page + 3, size: 2))
        let isLeaf = image[part].number(at: page, size: 1) & 8 != 0
        guard count > 0 else { return nil }
        return page + (isLeaf ? 8 : 12) + 2 * number(below: min(count, 400))
    }

    // MARK: Values

    /// A number at which something begins or ends.
    private mutating func edge(size: Int) -> UInt64 {
        let pageCount = UInt64(image[.main].count / max(image.pageSize, 1))
        let most = UInt64.max >> UInt64(64 - 8 * size)
        let numbers: [UInt64] = [
            0, 1, 2, 0x7f, 0x80, 0x81, most, most - 1, most >> 1, most >> 1 + 1, pageCount,
            pageCount + 1, UInt64(image.pageSize), UInt64.random(in: 0...most, using: &generator),
        ]
        return pick(numbers) & most
    }

    private mutating func set(
        _ number: UInt64,
        at offset: Int,
        size: Int,
        in part: DatabaseImage.Part
    ) {
        image[part].setNumber(number, at: offset, size: size)
    }

    mutating func note(_ change: String, in part: DatabaseImage.Part) {
        changes.append(part == .main ? change : "\(change) of \(part)")
    }
}
