import Foundation

import SQift

/// A folder of `.sql` files.
struct MigrationFolder {
    let folder: TemporaryFolder

    init(_ files: KeyValuePairs<String, String> = [:]) throws {
        folder = try TemporaryFolder()
        for (name, text) in files {
            try write(Data(text.utf8), to: name)
        }
    }

    func write(_ data: Data, to name: String) throws {
        try data.write(to: folder.url.appendingPathComponent(name))
    }

    func load() throws -> [Migration] {
        try Migration.load(from: folder.url)
    }
}
