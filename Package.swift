// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "SQift",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
    products: [
        .library(name: "SQift", targets: ["SQift"]),
        .library(name: "CSQift", targets: ["CSQift"]),
        .executable(name: "sqift-cli", targets: ["sqift-cli"]),
    ],
    targets: [
        .systemLibrary(
            name: "CSQift",
            providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"])]
        ),
        .target(name: "SQift", dependencies: ["CSQift"]),
        .executableTarget(name: "sqift-cli", dependencies: ["SQift"]),
        .executableTarget(
            name: "SQiftBenchmarks",
            dependencies: ["SQift", "CSQift"],
            path: "Tests/SQiftBenchmarks"
        ),
        .testTarget(
            name: "SQiftTests",
            dependencies: ["SQift", "CSQift", "sqift-cli", "SQiftBenchmarks"]
        ),
        .testTarget(
            name: "SQiftCompatibilityTests",
            dependencies: ["SQift", "CSQift"],
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
    ],
    swiftLanguageModes: [.v6]
)
