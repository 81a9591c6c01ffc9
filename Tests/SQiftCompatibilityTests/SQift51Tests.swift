import CSQift
import Foundation
import SQift
import Testing

@Test func aDefaultConnectionIsInMemory() throws {
    let connection = try Connection()
    #expect(connection.fileName == "")
}
