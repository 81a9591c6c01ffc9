import Foundation
import SQift

/// The items of a warehouse, where they are, and who ordered them.
struct Warehouse: Sendable {
    let database: Database

    init(path: String) throws {
        database = try Database(path: path)
        try database.writeWithoutTransaction { c in
            try Migrator(connection: c, migrations: WarehouseMigrations.all).run()
        }
    }

    func addItem(sku: String, label: String, price: Int, weight: Double?) throws -> Int64 {
        try database.write { c in
            try c.query(
                "INSERT INTO items(sku, label, price, weight) VALUES(?, ?, ?, ?) RETURNING id",
                sku,
                label,
                price,
                weight
            )
        }
    }

    func addSupplier(_ name: String, country: String? = nil) throws {
        try database.write { c in
            try c.run(
                """
                INSERT INTO suppliers(name, country) VALUES(:name, :country)
                ON CONFLICT(name) DO UPDATE SET country = coalesce(:country, country)
                """,
                ["name": name, "country": country]
            )
        }
    }

    func setSupplier(_ name: String, ofItem sku: String) throws -> Bool {
        try database.write { c in
            let supplier: Int64? = try c.query("SELECT id FROM suppliers WHERE name = ?", name)
            guard let supplier else { return false }
            return try c.run(
                "UPDATE items SET supplier_id = ? WHERE sku = ?",
                supplier,
                sku
            ) > 0
        }
    }

    func suppliers(in country: String) throws -> [String] {
        try database.read { c in
            try c.query("SELECT name FROM suppliers WHERE country = ? ORDER BY name", country)
        }
    }
}
