import Foundation
import SQift

extension Warehouse {
    struct StockLevel: Decodable, ExpressibleByRow {
        let sku: String
        let label: String
        let quantity: Int
        let aisle: String
    }

    /// How many of an item are on a shelf now.
    func count(of item: Int64, onShelf shelf: Int64) throws -> Int {
        try database.read { c in
            try c.query(
                "SELECT quantity FROM stock WHERE item = ? AND shelf = ?",
                item,
                shelf
            ) ?? 0
        }
    }

    func put(_ quantity: Int, of item: Int64, onShelf shelf: Int64) throws {
        try database.write { c in
            try c.run(
                """
                INSERT INTO stock(item, shelf, quantity, counted_at)
                VALUES(?, ?, ?, datetime('now'))
                ON CONFLICT(item, shelf) DO UPDATE SET quantity = quantity + excluded.quantity
                """,
                item,
                shelf,
                quantity
            )
        }
    }

    func take(_ quantity: Int, of item: Int64) throws -> Int64 {
        try database.write { c in
            let shelf: Int64 = try c.query(
                """
                SELECT shelf FROM stock WHERE item = ? AND quantity >= ?
                ORDER BY quantity DESC LIMIT 1
                """,
                item,
                quantity
            )
            try c.run(
                "UPDATE stock SET quantity = quantity - ? WHERE item = ? AND shelf = ?",
                quantity,
                item,
                shelf
            )
            return shelf
        }
    }

    func levels(below limit: Int) throws -> [StockLevel] {
        try database.read { c in
            try c.query(
                """
                SELECT items.sku, items.label, stock.quantity, shelves.aisle
                FROM stock
                JOIN items ON items.id = stock.item
                JOIN shelves ON shelves.id = stock.shelf
                WHERE stock.quantity < ?
                ORDER BY stock.quantity, items.label
                """,
                limit
            )
        }
    }

    func valueByAisle() throws -> [String: Int] {
        try database.read { c in
            try c.query(
                """
                SELECT s.aisle, sum(t.quantity * i.price)
                FROM stock t, items i, shelves s
                WHERE t.item = i.id AND t.shelf = s.id
                GROUP BY s.aisle
                HAVING sum(t.quantity) > 0
                """
            )
        }
    }

    func shelves(inAisle aisle: String) throws -> [(Int64, Int?)] {
        try database.read { c in
            try c.query(
                "SELECT id, level FROM shelves WHERE upper(aisle) = upper(?) ORDER BY level",
                aisle,
                as: (Int64, Int?).self
            )
        }
    }

    /// Writes the list that the people in the warehouse count by.
    func writeCountingList(to write: (String) -> Void) throws {
        try database.read { c in
            try c.forEachRow(
                """
                SELECT i.label AS name, t.quantity AS amount, round(i.weight, 2) AS weight
                FROM stock t INNER JOIN items i ON t.item = i.id
                ORDER BY t.shelf, name
                """
            ) { row in
                let name: String = try row.get("name")
                let amount: Int = try row.get("amount")
                let weight: Double? = row["weight"]
                write("\(name): \(amount), \(weight ?? 0) kg")
            }
        }
    }
}
