// swift-tools-version: 6.2
// A program that embeds the engine. In your own package, name Swiftlet by its URL and a version instead of a path.
import PackageDescription

let package = Package(
  name: "embed",
  dependencies: [.package(name: "swiftlet", path: "../..")],
  targets: [
    .executableTarget(
      name: "embed",
      dependencies: [
        .product(name: "SwiftletEngine", package: "swiftlet"),
        // Plugins are built beside the program, where the engine looks for them.
        .product(name: "SwiftletCodecPCM", package: "swiftlet"),
        .product(name: "SwiftletCodecFLAC", package: "swiftlet"),
      ],
      path: "Sources")
  ])
