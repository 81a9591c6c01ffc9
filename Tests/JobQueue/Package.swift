// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "JobQueue",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "SQift", path: "../..")],
    targets: [
        .target(
            name: "JobKit",
            dependencies: [.product(name: "SQift", package: "SQift")],
            plugins: [.plugin(name: "CheckSQL", package: "SQift")]
        ),
        .executableTarget(name: "jobd", dependencies: ["JobKit"]),
        .testTarget(
            name: "JobKitTests",
            dependencies: ["JobKit", "jobd", .product(name: "SQift", package: "SQift")],
            plugins: [.plugin(name: "CheckSQL", package: "SQift")]
        ),
    ]
)
