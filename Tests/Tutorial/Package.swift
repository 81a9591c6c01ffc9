// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Garage",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "SQift", path: "../..")],
    targets: [
        .executableTarget(
            name: "hello",
            dependencies: [.product(name: "SQift", package: "SQift")]
        ),
        .target(
            name: "GarageKit",
            dependencies: [.product(name: "SQift", package: "SQift")],
            plugins: [.plugin(name: "CheckSQL", package: "SQift")]
        ),
        .executableTarget(name: "garage", dependencies: ["GarageKit"]),
        .testTarget(
            name: "GarageKitTests",
            dependencies: ["GarageKit", .product(name: "SQift", package: "SQift")]
        ),
    ]
)
