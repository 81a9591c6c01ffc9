import Foundation

/// The package's folder.
package let packageFolder = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..")
    .standardized
