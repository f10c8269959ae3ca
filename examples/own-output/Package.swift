// swift-tools-version: 6.2
// A program with an output of its own. In your own package, name Swiftlet by its URL and a version instead of a path.
import PackageDescription

let package = Package(
  name: "own-output",
  dependencies: [.package(name: "swiftlet", path: "../..")],
  targets: [
    .executableTarget(
      name: "own-output",
      dependencies: [
        .product(name: "SwiftletEngine", package: "swiftlet"),
        .product(name: "SwiftletCodecPCM", package: "swiftlet"),
        .product(name: "SwiftletCodecFLAC", package: "swiftlet"),
      ],
      path: "Sources")
  ])
