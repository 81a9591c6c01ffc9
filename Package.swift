// swift-tools-version: 6.1
import PackageDescription

// A sanitizer's build takes as long as all the tests that it compiles, so `.ci/run` leaves out those
// in which the sanitizer can't find anything. They are paths in Tests/SQiftTests.
let testsLeftOut = Context.environment["SQIFT_TESTS_LEFT_OUT"] ?? ""

let package = Package(
    name: "SQift",
    platforms: [
        .macOS(.v13), .macCatalyst(.v16), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1),
    ],
    products: [
        .library(name: "SQift", targets: ["SQift"]),
        // For an app that links SQift into a framework of its own too: one copy serves both.
        .library(name: "SQiftDynamic", type: .dynamic, targets: ["SQift"]),
        .library(name: "CSQift", targets: ["CSQift"]),
        .executable(name: "sqift-cli", targets: ["sqift-cli"]),
        .plugin(name: "CheckSQL", targets: ["CheckSQL"]),
        .plugin(name: "check-sql", targets: ["check-sql"]),
    ],
    traits: [
        .trait(name: "SQLCipher", description: "Links libsqlcipher instead of the system's SQLite.")
    ],
    targets: [
        .systemLibrary(
            name: "CSQiftSystem",
            path: "Sources/CSQift/System",
            providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"])]
        ),
        .systemLibrary(
            name: "CSQiftSQLCipher",
            path: "Sources/CSQift/SQLCipher",
            providers: [.brew(["sqlcipher"]), .yum(["sqlcipher-devel"])]
        ),
        .target(
            name: "CSQift",
            dependencies: [
                "CSQiftSystem",
                .target(name: "CSQiftSQLCipher", condition: .when(traits: ["SQLCipher"])),
            ],
            exclude: ["System", "SQLCipher", "shim.h"]
        ),
        .target(
            name: "SQift",
            dependencies: ["CSQift"],
            // The library calls stat, lstat and fstat, which Apple wants to have explained.
            resources: [.copy("PrivacyInfo.xcprivacy")]
        ),
        .executableTarget(name: "sqift-cli", dependencies: ["SQift"]),
        .executableTarget(name: "sqift-lint", dependencies: ["CSQift"]),
        .plugin(
            name: "CheckSQL",
            capability: .buildTool(),
            dependencies: ["sqift-lint"],
            path: "Sources/Plugins/CheckSQL"
        ),
        .plugin(
            name: "check-sql",
            capability: .command(
                intent: .custom(
                    verb: "check-sql",
                    description: "Checks the SQL in the sources of the targets."
                )
            ),
            dependencies: ["sqift-lint"],
            path: "Sources/Plugins/CheckSQLCommand"
        ),
        .executableTarget(
            name: "SQiftBenchmarks",
            dependencies: ["SQift", "CSQift"],
            path: "Tests/SQiftBenchmarks"
        ),
        .target(name: "CSQiftFaults", path: "Tests/SQiftFaults/C"),
        .executableTarget(
            name: "SQiftFaults",
            dependencies: ["SQift", "CSQift", "CSQiftFaults", "sqift-lint"],
            path: "Tests/SQiftFaults",
            exclude: ["Apple", "C", "Fuzz/Corpus", "Fuzz/LibFuzzer.swift"]
        ),
        .testTarget(
            name: "SQiftTests",
            dependencies: ["SQift", "CSQift", "sqift-cli", "sqift-lint", "SQiftBenchmarks"],
            exclude: testsLeftOut.split(separator: "\n").map(String.init)
        ),
        .testTarget(
            name: "SQiftCompatibilityTests",
            dependencies: ["SQift", "CSQift"],
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
    ],
    swiftLanguageModes: [.v6]
)
