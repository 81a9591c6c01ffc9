import Foundation
import SQift

/// A folder of `.sql` files.
package struct MigrationFolder {
    package let folder: TemporaryFolder

    package init(_ files: KeyValuePairs<String, String> = [:]) throws {
        folder = try TemporaryFolder()
        for (name, text) in files {
            try write(Data(text.utf8), to: name)
        }
    }

    package func write(_ data: Data, to name: String) throws {
        try data.write(to: folder.url.appendingPathComponent(name))
    }

    package func load() throws -> [Migration] {
        try Migration.load(from: folder.url)
    }
}
