import Foundation

/// Where a database lives.
///
/// SQLite: [In-Memory Databases](https://sqlite.org/inmemorydb.html)
public enum StorageLocation: Hashable, Sendable {
    /// A file. The path is never read as a URI, even if it begins with `file:`. The file is created
    /// if the connection may write.
    case onDisk(String)

    /// A private database in memory. It disappears with its connection.
    case inMemory

    /// A private database that spills to a temporary file. It disappears with its connection.
    case temporary

    /// A URI that SQLite parses, such as `file:/tmp/a.sqlite?mode=ro` or
    /// `file:/shared?vfs=memdb`. Percent-encode `%`, `?` and `#` in the path.
    ///
    /// SQLite: [Uniform Resource Identifiers](https://sqlite.org/uri.html)
    case uri(String)

    /// The name in SQLite's form: the path, `:memory:`, the empty string, or the URI.
    public var path: String {
        switch self {
        case .onDisk(let path): path
        case .inMemory: ":memory:"
        case .temporary: ""
        case .uri(let uri): uri
        }
    }

    /// What SQLite's error doesn't say: why a file can't be opened, or created if it may be, as far
    /// as its path shows it.
    func openingHint(mayCreate: Bool) -> String {
        guard case .onDisk(let path) = self else { return "" }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if Self.isFolder(path) {
            return "; it is a folder"
        }
        if !Self.isFolder(folder) {
            return "; there is no folder \(folder)"
        }
        let manager = FileManager.default
        if manager.fileExists(atPath: path) || mayCreate && manager.isWritableFile(atPath: folder) {
            return ""
        }
        return mayCreate ? "; the folder \(folder) can't be written" : "; there is no such file"
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            && isFolder.boolValue
    }

    /// Returns the name for SQLite, so that a path is read as a path.
    ///
    /// - Throws: `SQLiteError` (misuse) for a name that SQLite would silently read as another one.
    func validatedName() throws -> String {
        let name = try path.withoutNUL()
        guard case .onDisk = self else { return name }
        switch name {
        case "":
            throw misuse(
                "an empty path would open a temporary database: use .temporary"
            )
        case ":memory:":
            throw misuse(
                "the path :memory: would open a database in memory: use .inMemory"
            )
        default:
            if name.hasPrefix("sqlite:") {
                let path = Self.path(inURL: name)
                throw misuse(
                    """
                    \(name) is another tool's URL, and no path: use \(path), or ./\(name) if the \
                    file has this name
                    """
                )
            }
            return name.utf8.starts(with: "file:".utf8) ? "./" + name : name
        }
    }

    /// The path that other tools mean by `sqlite:path`, `sqlite://path` or, if it is absolute, by
    /// `sqlite:///path`.
    private static func path(inURL url: String) -> String {
        let rest = url.dropFirst("sqlite:".count)
        return String(rest.hasPrefix("//") ? rest.dropFirst(2) : rest)
    }

    /// Whether the `memdb` VFS shares a database by this name: the name begins with a slash.
    func sharesMemoryByName(vfs: String?) -> Bool {
        var scheme = ""
        var isMemory = vfs == "memdb"
        if case .uri(let uri) = self {
            scheme = "(file:)?(//[^/]*)?"
            isMemory = isMemory || uri.contains("vfs=memdb")
        }
        guard isMemory else { return false }
        let name = #"^\#(scheme)([/\\]|%2[Ff])[^/?#]"#
        return path.range(of: name, options: .regularExpression) != nil
    }
}
