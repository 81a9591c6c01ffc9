import Foundation

extension String {
    var fileName: String { (self as NSString).lastPathComponent }

    var folder: String { (self as NSString).deletingLastPathComponent }

    /// The path of a file in this folder.
    func path(of name: String) -> String {
        (self as NSString).appendingPathComponent(name)
    }
}
