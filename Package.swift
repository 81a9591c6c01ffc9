// swift-tools-version: 6.1
import PackageDescription

// A sanitizer's build takes as long as all the tests that it compiles, so `.ci/run` leaves out the
// targets in which the sanitizer can't find anything.
let targetsLeftOut = (Context.environment["SQIFT_TARGETS_LEFT_OUT"] ?? "").split(separator: " ")

// The folders of Tests/SQiftTests by the target that compiles them: an edit compiles one target. One
// that needs an executable is compiled after each edit of the library, so few of them need one.
let testFolders = [
    "SQiftCoreTests": ["Core"],
    "SQiftQueryTests": ["Query", "Values"],
    "SQiftFacilityTests": ["SQLite", "SQift5"],
    "SQiftCopyTests": ["Backup", "Migration"],
    "SQiftConcurrencyTests": ["Concurrency", "Distributed", "Reliability"],
    "SQiftDatabaseTests": ["Database"],
    "SQiftObservationTests": ["Observation"],
    "SQiftLintTests": ["CheckedSQL"],
    "SQiftToolTests": ["Benchmarks", "CommandLine"],
    "SQiftDocumentTests": ["CompilerMessages", "Documentation", "Source"],
    "SQiftTestSupport": ["Support"],
]

/// The folders in Tests/SQiftTests that a target doesn't compile.
func excluded(from target: String) -> [String] {
    let folders = testFolders[target] ?? []
    return testFolders.values.joined().filter { !folders.contains($0) }.sorted()
}

func tests(_ name: String, needing executables: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name,
        dependencies: ["SQift", "CSQift", "SQiftTestSupport"] + executables,
        path: "Tests/SQiftTests",
        exclude: excluded(from: name)
    )
}

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
        .target(
            name: "SQiftTestSupport",
            dependencies: ["SQift", "CSQift"],
            path: "Tests/SQiftTests",
            exclude: excluded(from: "SQiftTestSupport")
        ),
        tests("SQiftCoreTests"),
        tests("SQiftQueryTests"),
        tests("SQiftFacilityTests"),
        tests("SQiftCopyTests"),
        tests("SQiftConcurrencyTests"),
        tests("SQiftDatabaseTests"),
        tests("SQiftObservationTests"),
        tests("SQiftLintTests", needing: ["sqift-lint"]),
        tests("SQiftToolTests", needing: ["sqift-cli", "SQiftBenchmarks"]),
        tests("SQiftDocumentTests"),
        .testTarget(
            name: "SQiftCompatibilityTests",
            dependencies: ["SQift", "CSQift"],
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
    ].filter { !targetsLeftOut.contains(Substring($0.name)) },
    swiftLanguageModes: [.v6]
)
