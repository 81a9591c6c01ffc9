// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Cars",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "SQift", path: "../..")],
    targets: [
        .executableTarget(
            name: "cars",
            dependencies: [.product(name: "SQift", package: "SQift")],
            plugins: [.plugin(name: "CheckSQL", package: "SQift")]
        )
    ]
)
