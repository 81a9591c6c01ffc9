import Foundation

// URIs as SQLite reads them: https://sqlite.org/uri.html
extension StorageLocation {
    /// Returns the URI of a file. Nothing in the path is read as a parameter.
    ///
    /// - Parameter parameters: The text after the `?`.
    static func uri(forFile path: String, parameters: String) -> StorageLocation {
        let name = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
        let authority = path.hasPrefix("/") ? "//" : ""
        return .uri("file:\(authority)\(name)?\(parameters)")
    }

    /// The location of the file that a connection has opened here, by the name that SQLite has
    /// given it: absolute, and without symbolic links. The location itself if that is no path.
    func ofFile(_ fileName: String) -> StorageLocation {
        guard fileName.hasPrefix("/") else { return self }
        guard case .uri(let uri) = self else { return .onDisk(fileName) }
        // SQLite ignores a fragment.
        let parameters = uri.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
        return .uri(forFile: fileName, parameters: String(parameters))
    }

    /// The location for a connection that only reads. SQLite refuses a URI that asks for more than
    /// the connection's flags. A fragment, which SQLite ignores, is left out.
    var forReading: StorageLocation {
        guard case .uri(let uri) = self, uri.hasPrefix("file:") else { return self }
        let whole = uri.prefix { $0 != "#" }
        let name = whole.prefix { $0 != "?" }
        // Each parameter ends at a & or where the last one ends.
        let parameters = whole.dropFirst(name.count).replacingOccurrences(
            of: "(?<=^\\?|&)mode=rwc?(?![^&])",
            with: "mode=ro",
            options: .regularExpression
        )
        return .uri(name + parameters)
    }
}
