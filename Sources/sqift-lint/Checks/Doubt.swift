/// What isn't known of the sources, so that something can't be judged.
struct Doubt {
    /// `cars may have other columns`
    let reason: String
    /// Where that comes from: `ALTER TABLE at Cleanup.swift:87`.
    private var origin = ""

    init(_ reason: String) {
        self.reason = reason
    }

    init(_ reason: String, _ cause: String, at location: Location) {
        self.reason = reason
        let line = location.file.position(of: location.offset).line
        origin = ": \(cause) at \(location.file.path.fileName):\(line)"
    }

    var description: String { reason + origin }
}
