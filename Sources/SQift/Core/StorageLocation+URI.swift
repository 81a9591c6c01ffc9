import Foundation

// URIs as SQLite reads them: https://sqlite.org/uri.html
extension StorageLocation {
    /// Returns the URI of a file. Nothing in the path is read as a parameter.
    ///
    /// - Parameter parameters: The text after the `?`.
    static func uri(forFile path: String, parameters: String) -> StorageLocation {
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove(charactersIn: "?#%")
        let absolute = URL(fileURLWithPath: path).path
        let name = absolute.addingPercentEncoding(withAllowedCharacters: allowed) ?? absolute
        return .uri("file://\(name)?\(parameters)")
    }

    /// The location for a connection that only reads. SQLite refuses a URI that asks for more than
    /// the connection's flags.
    var forReading: StorageLocation { replacingModes(["mode=rw", "mode=rwc"], with: "mode=ro") }

    /// The location for a connection that doesn't create a missing file, for the same reason.
    var forExistingFile: StorageLocation { replacingModes(["mode=rwc"], with: "mode=rw") }

    private func replacingModes(_ modes: [Substring], with mode: String) -> StorageLocation {
        guard case .uri(let uri) = self, let mark = uri.firstIndex(of: "?") else { return self }
        // SQLite ignores a fragment.
        let parameters = uri[mark...].dropFirst().prefix { $0 != "#" }
            .split(separator: "&", omittingEmptySubsequences: false)
            .map { modes.contains($0) ? mode : String($0) }
        return .uri(uri[...mark] + parameters.joined(separator: "&"))
    }

    /// Whether the `memdb` VFS would share a database by this name: the name begins with a slash.
    var sharesMemoryByName: Bool {
        let name = pathBytes
        return name.count > 1 && (name[0] == "/" || name[0] == "\\")
    }

    /// The kind of thing that a connection that only reads would find there, if it isn't a file.
    ///
    /// SQLite would wait forever for a FIFO, and take a device for an empty database. Another VFS
    /// gives names a meaning of its own, so nothing is checked for it.
    var specialFileKind: String? {
        switch self {
        case .onDisk(let path):
            return Self.specialFileKind(atPath: path)
        case .uri(let uri) where !uri.contains("vfs="):
            return Self.specialFileKind(atPath: String(decoding: pathBytes, as: UTF8.self))
        default:
            return nil
        }
    }

    /// The kind of thing that a path leads to, if it isn't a file and so can't be a database.
    static func specialFileKind(atPath path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return nil
        case S_IFDIR: return "a folder"
        case S_IFIFO: return "a FIFO"
        case S_IFSOCK: return "a socket"
        default: return "a device"
        }
    }

    /// The path, or the path that SQLite takes from a URI. The authority, which is empty or this
    /// machine, and the parameters aren't part of it. `%` and two digits are a byte; a single `%`
    /// is itself.
    private var pathBytes: [UInt8] {
        var name = path.utf8[...]
        guard case .uri = self, name.starts(with: "file:".utf8) else { return Array(name) }
        name = name.dropFirst("file:".utf8.count)
        if name.starts(with: "//".utf8) {
            name = name.dropFirst(2).drop { $0 != "/" }
        }
        name = name.prefix { $0 != "?" && $0 != "#" }

        var bytes: [UInt8] = []
        while let byte = name.popFirst() {
            let digits = String(decoding: name.prefix(2), as: UTF8.self)
            // `UInt8` alone would take a sign for a digit: "%+a".
            if byte == "%", digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let decoded = UInt8(digits, radix: 16)
            {
                bytes.append(decoded)
                name = name.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
