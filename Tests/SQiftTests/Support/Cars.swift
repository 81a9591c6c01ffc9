import Foundation
import SQift

/// A database of three cars. The last one has no price.
package func makeCars() throws -> Connection {
    let connection = try Connection()
    try connection.execute(
        """
        CREATE TABLE cars(name TEXT, type TEXT, price INTEGER);
        INSERT INTO cars VALUES
            ('Audi', 'Sedan', 52642), ('Skoda', 'Sedan', 9000), ('Volvo', 'Wagon', NULL);
        """
    )
    return connection
}

package struct StockCar: ExpressibleByRow, Equatable {
    package let name: String
    package let price: Int?

    package init(name: String, price: Int?) {
        self.name = name
        self.price = price
    }

    package init(row: Row) throws {
        name = try row.get("name")
        price = try row.get("price")
    }

    package static let all = [
        StockCar(name: "Audi", price: 52642), StockCar(name: "Skoda", price: 9000),
        StockCar(name: "Volvo", price: nil),
    ]
}
