import Foundation
import SQift

extension Warehouse {
    struct Order: ExpressibleByRow {
        let id: Int64
        let customer: String
        let date: String
        let status: String
        let note: String?

        init(row: Row) throws {
            id = try row.get("id")
            customer = try row.get("customer")
            date = try row.get("ordered_on")
            status = try row.get("status")
            note = row["note"]
        }
    }

    struct OrderLine: Encodable {
        let order: Int64
        let item: Int64
        let quantity: Int
        let price: Int
    }

    func order(_ id: Int64) throws -> Order? {
        try database.read { c in
            try c.query(
                "SELECT id, customer, ordered_on, status, note FROM orders WHERE id = ?",
                id
            )
        }
    }

    func openOrders(of customer: String) throws -> [Order] {
        let sql = """
            SELECT * FROM orders
            WHERE customer = :customer AND status = :status
            ORDER BY ordered_on
            """
        return try database.read { c in
            try c.query(sql, ["customer": customer, "status": "open"])
        }
    }

    func placeOrder(for customer: String, items: [(id: Int64, quantity: Int)]) throws -> Int64 {
        try database.write { c in
            try c.run("INSERT INTO orders(customer, note) VALUES(?, NULL)", customer)
            let id = c.lastInsertRowID
            for (item, quantity) in items {
                let price: Int = try c.query("SELECT price FROM items WHERE id = ?", item)
                let line = OrderLine(order: id, item: item, quantity: quantity, price: price)
                try c.run(
                    """
                    INSERT INTO order_lines(order_id, item, quantity, price)
                    VALUES(:order, :item, :quantity, :price)
                    """,
                    encoding: line
                )
            }
            return id
        }
    }

    func cancel(_ id: Int64, because reason: String?) throws {
        try database.write { c in
            try c.run("DELETE FROM order_lines WHERE order_id = ?", id)
            try c.run(
                "UPDATE orders SET status = 'cancelled', note = ? WHERE id = ?",
                reason,
                id
            )
        }
    }

    func totals(from first: String, to last: String) throws -> [String: Int] {
        try database.read { c in
            try c.query(
                """
                SELECT o.customer, sum(l.quantity * l.price)
                FROM orders o JOIN order_lines l ON l.order_id = o.id
                WHERE o.ordered_on BETWEEN $first AND $last
                GROUP BY o.customer
                ORDER BY o.customer
                """,
                ["$first": first, "$last": last]
            )
        }
    }

    func bestSellers(_ count: Int) throws -> [(label: String, sold: Int)] {
        try database.read { c in
            try c.query(
                """
                WITH sold(item, total) AS (
                    SELECT item, sum(quantity) FROM order_lines GROUP BY item
                )
                SELECT items.label, sold.total FROM sold
                JOIN items ON items.id = sold.item
                ORDER BY sold.total DESC LIMIT ?
                """,
                count
            ) { row in
                (label: try row.get(0), sold: try row.get(1))
            }
        }
    }

    func lastOrder() throws -> Order? {
        try database.read { c in
            let statement = try c.prepare(
                "SELECT id, customer, ordered_on, status, note FROM orders WHERE status <> :status"
            )
            return try statement.bind(["status": "cancelled"]).query()
        }
    }
}
