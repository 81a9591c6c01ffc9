import Foundation
import SQift

/// The steps of a warehouse's database. Some of them meet files that an older program has changed.
enum WarehouseMigrations {
    static let all = [
        Migration("001-items") { connection in
            try connection.execute(
                """
                CREATE TABLE items(
                    id INTEGER PRIMARY KEY,
                    sku TEXT NOT NULL UNIQUE,
                    label TEXT NOT NULL,
                    price INTEGER NOT NULL CHECK(price >= 0),
                    supplier TEXT
                );
                CREATE TABLE shelves(id INTEGER PRIMARY KEY, aisle TEXT NOT NULL, level INTEGER)
                """
            )
        },
        Migration("002-stock") { connection in
            try connection.run(
                """
                CREATE TABLE stock(
                    item INTEGER NOT NULL REFERENCES items(id) ON DELETE CASCADE,
                    shelf INTEGER NOT NULL REFERENCES shelves(id),
                    quantity INTEGER NOT NULL DEFAULT 0,
                    counted_at TEXT,
                    PRIMARY KEY(item, shelf)
                ) WITHOUT ROWID
                """
            )
            try connection.run("CREATE INDEX stock_by_shelf ON stock(shelf)")
        },
        Migration("003-suppliers") { connection in
            if try !connection.tableExists("suppliers") {
                try connection.run(
                    """
                    CREATE TABLE suppliers(
                        id INTEGER PRIMARY KEY,
                        name TEXT NOT NULL UNIQUE,
                        country TEXT
                    )
                    """
                )
            }
            try connection.run(
                """
                INSERT INTO suppliers(name)
                SELECT DISTINCT supplier FROM items WHERE supplier IS NOT NULL
                """
            )
        },
        Migration("004-weights") { connection in
            // The first version of the scanner added this column itself.
            _ = try? connection.run("ALTER TABLE items ADD COLUMN weight REAL")
            try connection.run("CREATE INDEX items_by_label ON items(label, price)")
        },
        Migration("005-orders") { connection in
            guard try !connection.tableExists("orders") else { return }
            try connection.execute(
                """
                CREATE TABLE orders(
                    id INTEGER PRIMARY KEY,
                    customer TEXT NOT NULL,
                    placed_on TEXT NOT NULL DEFAULT CURRENT_DATE,
                    status TEXT NOT NULL DEFAULT 'open'
                );
                CREATE TABLE order_lines(
                    order_id INTEGER NOT NULL REFERENCES orders(id),
                    item INTEGER NOT NULL REFERENCES items(id),
                    quantity INTEGER NOT NULL,
                    price INTEGER NOT NULL,
                    UNIQUE(order_id, item)
                )
                """
            )
        },
        Migration("006-items-have-suppliers") { connection in
            let columns = """
                id INTEGER PRIMARY KEY,
                sku TEXT NOT NULL UNIQUE,
                label TEXT NOT NULL,
                price INTEGER NOT NULL CHECK(price >= 0),
                weight REAL,
                supplier_id INTEGER REFERENCES suppliers(id)
                """
            try connection.rebuildTable("items", columns: columns) { old, new in
                try connection.run(
                    """
                    INSERT INTO \(new)(id, sku, label, price, weight, supplier_id)
                    SELECT o.id, o.sku, o.label, o.price, o.weight, s.id
                    FROM \(old) o LEFT JOIN suppliers s ON s.name = o.supplier
                    """
                )
            }
        },
        Migration("007-status") { connection in
            try connection.run("UPDATE orders SET status = 'sent' WHERE placed_on < '2020-01-01'")
            try connection.run("ALTER TABLE orders RENAME COLUMN placed_on TO ordered_on")
            try connection.run("ALTER TABLE orders ADD COLUMN note TEXT")
        },
    ]
}
