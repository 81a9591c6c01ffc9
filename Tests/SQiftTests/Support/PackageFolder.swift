import Foundation

/// The package's folder.
let packageFolder = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..")
    .standardized
