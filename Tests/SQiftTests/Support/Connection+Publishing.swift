// A test reports changes as the tracker does.
@testable import SQift

extension Connection {
    /// Whether a database's listeners make it publish its changes. Internal, since only the price
    /// shows it otherwise.
    package var isPublishingChanges: Bool {
        attachments.contains { ($0 as? ChangeTracker)?.isPublishing == true }
    }
}
