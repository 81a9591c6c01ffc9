import SQift
import SQiftTestSupport

extension SQLMutator {
    // MARK: Columns that a later migration changes

    /// A migration is added that renames or drops a column which statements use.
    var changedColumns: [MistakenSource] {
        var result: [MistakenSource] = []
        for table in tables.sorted() {
            let names = corpus.texts("SELECT name FROM pragma_table_info('\(table)')")
            for column in names.sorted() {
                let changes = [
                    "ALTER TABLE \(table) RENAME COLUMN \(column) TO \(column)_2",
                    "ALTER TABLE \(table) DROP COLUMN \(column)",
                ]
                result += changes.compactMap(mistake(by:))
            }
        }
        return result
    }

    private func mistake(by change: String) -> MistakenSource? {
        guard let connection = corpus.connection,
            let (path, end) = corpus.endOfMigrations
        else { return nil }
        let broken = try? brokenStatements(by: change, on: connection)
        guard let broken, !broken.isEmpty, let source = corpus.sources[path] else { return nil }
        let new = "\n        Migration(\"99\", sql: \"\(change)\"),"
        // No statement is below the lists. Scripts and texts in parts aren't among the statements.
        let column = change.split(separator: " ").drop { $0 != "COLUMN" }.dropFirst().first ?? ""
        let others = corpus.places { $0.contains(column) || $0.contains("SELECT *") }
        let places = broken.map { (path: $0.path, lines: $0.lines) } + others
        let line = source.line(of: end)
        return mistake(path, [(end..<end, new)], places + [(path, line + 1...line + 1)])
    }

    private func brokenStatements(
        by change: String,
        on connection: Connection
    ) throws -> [SQLCorpus.Statement] {
        struct Undo: Error {}
        var broken: [SQLCorpus.Statement] = []
        do {
            try connection.transaction {
                try connection.run(change)
                broken = corpus.statements.filter { !corpus.isRight($0.sql) }
                throw Undo()
            }
        } catch is Undo {}
        return broken
    }

    // MARK: The order of the migrations

    /// A migration of the application is moved, so that it couldn't be opened any more.
    var wrongOrders: [MistakenSource] {
        let elements = corpus.migrations
        guard elements.count == MusicLibrary.migrations.count, let path = elements.first?.path,
            let source = corpus.sources[path]
        else { return [] }
        var result: [MistakenSource] = []
        for old in elements.indices {
            for new in elements.indices where new != old {
                var order = Array(elements.indices)
                order.insert(order.remove(at: old), at: new)
                guard !isRight(order.map { MusicLibrary.migrations[$0] }) else { continue }
                let edits = zip(elements, order).map { element, number in
                    (element.range, source.text(elements[number].range))
                }
                let all = 1...source.line(of: source.bytes.count)
                let change = "migration \(old + 1) at \(new + 1)"
                result += [mistake(path, edits, [(path, all)], change)].compactMap { $0 }
            }
        }
        return result
    }

    private func isRight(_ migrations: [Migration]) -> Bool {
        do {
            let connection = try Connection()
            try connection.addCollation(named: "WITHOUT_ARTICLE") { $0.compare($1) }
            try Migrator(connection: connection, migrations: migrations).run()
            return true
        } catch {
            return false
        }
    }
}

extension SQLCorpus {
    /// The calls with literals that meet a condition.
    func places(
        where isMeant: (String) -> Bool
    ) -> [(path: String, lines: ClosedRange<Int>)] {
        sources.flatMap { path, source in
            source.literals.filter { isMeant(source.text($0.content)) }.map { literal in
                let call = source.brackets(around: literal.range.lowerBound)
                let first = source.line(of: call?.opening ?? literal.range.lowerBound)
                return (path, first...source.line(of: call?.closing ?? literal.range.upperBound))
            }
        }
    }

    /// The elements of the lists of migrations, in the order of the file.
    var migrations: [(path: String, range: Range<Int>)] {
        migrationLists.flatMap { path, brackets -> [(path: String, range: Range<Int>)] in
            let range = brackets.lowerBound + 1..<brackets.upperBound
            return sources[path]?.elements(range).map { (path, $0) } ?? []
        }
    }

    /// Where a migration can be added: after the last one.
    var endOfMigrations: (path: String, index: Int)? {
        guard let (path, brackets) = migrationLists.last, let source = sources[path] else {
            return nil
        }
        let last = source.elements(brackets.lowerBound + 1..<brackets.upperBound).last
        // After its comma.
        return last.map { (path, $0.upperBound + 1) }
    }

    /// The lists that begin on the line of `= [`.
    private var migrationLists: [(path: String, brackets: Range<Int>)] {
        sources.sorted { $0.key < $1.key }.flatMap { path, source in
            source.bytes.indices.compactMap { index in
                let end = Array("igrations = [".utf8)
                guard source.bytes[index] == UInt8(ascii: "["), source.isCode[index],
                    source.bytes[..<(index + 1)].suffix(end.count).elementsEqual(end)
                else { return nil }
                return source.closing(of: index).map { (path, index..<$0) }
            }
        }
    }
}
