// swift-tools-version: 6.2
// A codec plugin in Swift, built as a shared object `libSwiftletCodecAU.so`. In your own package, name Swiftlet by
// its URL and a version.
import PackageDescription

let package = Package(
  name: "codec-swift",
  products: [.library(name: "SwiftletCodecAU", type: .dynamic, targets: ["SwiftletCodecAU"])],
  dependencies: [.package(name: "swiftlet", path: "../..")],
  targets: [
    .target(
      name: "SwiftletCodecAU", dependencies: [.product(name: "CodecSupport", package: "swiftlet")],
      path: "Sources")
  ])
