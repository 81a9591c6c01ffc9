// swift-tools-version: 6.1
import PackageDescription

// One library at a time, since two of them are modules called SQift. `run` builds a copy of this
// package, which has the sources of the other libraries in `Peers`.
let peer = Context.environment["SQIFT_PEER"] ?? "C"

let library: Target.Dependency
var targets: [Target] = [
    .systemLibrary(name: "SQLite3", path: "SQLite3"),
    .target(name: "Common"),
]

switch peer {
case "SQift":
    library = .product(name: "SQift", package: "SQift")
case "SQift-5.1":
    library = "SQift"
    targets.append(
        .target(
            name: "SQift",
            dependencies: ["SQLite3"],
            path: "Peers/SQift-5.1/Source",
            exclude: ["Supporting Files"],
            swiftSettings: [.swiftLanguageMode(.v5)]
        )
    )
case "GRDB":
    library = "GRDB"
    targets += [
        .systemLibrary(name: "GRDBSQLite", path: "Peers/GRDB/Sources/GRDBSQLite"),
        .target(
            name: "GRDB",
            dependencies: ["GRDBSQLite"],
            path: "Peers/GRDB/GRDB",
            resources: [.copy("PrivacyInfo.xcprivacy")],
            swiftSettings: [.define("SQLITE_ENABLE_FTS5")]
        ),
    ]
case "SQLiteSwift":
    library = "SQLite"
    targets.append(
        .target(
            name: "SQLite",
            dependencies: ["SQLite3"],
            path: "Peers/SQLiteSwift/Sources/SQLite",
            exclude: ["Info.plist", "SQLite.h"],
            resources: [.copy("PrivacyInfo.xcprivacy")],
            swiftSettings: [.swiftLanguageMode(.v5)]
        )
    )
default:
    library = "SQLite3"
}

targets.append(
    .executableTarget(
        name: "Peer",
        dependencies: ["Common", library],
        path: "Sources/\(peer)",
        // SQLite.swift and SQift 5.1 weren't written for Swift 6's checks.
        swiftSettings: [.swiftLanguageMode(.v5)],
        // Debian's SQLite lacks the snapshots that GRDB links to, and that nothing here calls.
        linkerSettings: peer == "GRDB"
            ? [.unsafeFlags(["-Xlinker", "--unresolved-symbols=ignore-all"])]
            : []
    )
)

let package = Package(
    name: "Peers",
    platforms: [.macOS(.v13)],
    dependencies: peer == "SQift" ? [.package(name: "SQift", path: "../..")] : [],
    targets: targets
)
