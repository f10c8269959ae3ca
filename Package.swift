// swift-tools-version: 6.2
// The package: one executable, five codec plugins, and the modules of Sources/README.md.
// SWIFTLET_EMBEDDED=1 builds the same sources as Embedded Swift (the build that goes on boards).
import Foundation
import PackageDescription

let isEmbedded = Context.environment["SWIFTLET_EMBEDDED"] == "1"

/// SWIFTLET_RENDERING_ONLY=1 leaves what renders and its tests, for runs under a sanitizer; with
/// SWIFTLET_RTSAN, the real-time sanitizer's library, those tests mark what must be real-time safe.
let isRenderingOnly = Context.environment["SWIFTLET_RENDERING_ONLY"] == "1"
let realtimeSanitizer = Context.environment["SWIFTLET_RTSAN"]

/// SWIFTLET_ONLY=PlayerTests leaves that target and what it needs, for scripts/check-mutations.
let onlyTarget = Context.environment["SWIFTLET_ONLY"]

/// SWIFTLET_FUZZER, the library of libFuzzer that has no main, leaves the fuzzers and what they try.
let fuzzer = Context.environment["SWIFTLET_FUZZER"]

/// Where the toolchain keeps the Unicode tables that Embedded Swift links statically.
let embeddedLibraries: String = {
  let swiftc = (Context.environment["PATH"] ?? "").split(separator: ":")
    .map { URL(fileURLWithPath: "\($0)/swiftc") }
    .first { FileManager.default.fileExists(atPath: $0.path) }
  guard let swiftc else { return "/nonexistent-swift-toolchain" }
  let usr = swiftc.resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
  let triple =
    Context.environment["SWIFTLET_EMBEDDED_TRIPLE"] ?? "x86_64-unknown-linux-gnu"
  return "\(usr.path)/lib/swift/embedded/\(triple)"
}()

/// One view of libc's headers for all imported C modules, whichever includes them first.
let sharedSettings: [SwiftSetting] = [
  .treatAllWarnings(as: .error), .unsafeFlags(["-Xcc", "-D_GNU_SOURCE"]),
]

let swiftSettings: [SwiftSetting] =
  sharedSettings
  + (isEmbedded
    ? [
      .enableExperimentalFeature("Embedded"),
      // Each source file's object has its own copies of shared functions: in sections, the linker keeps one.
      // Constant arrays that the optimiser makes static are numbered anew in each copy: the linker would mix
      // them up (a seek ordered releaseAll instead of start). So it makes none.
      .unsafeFlags([
        "-wmo", "-Xfrontend", "-function-sections", "-Xllvm", "-sil-disable-pass=object-outliner",
      ]),
    ]
    : [])
  + (fuzzer == nil ? [] : [.unsafeFlags(["-sanitize=fuzzer"])])

let linkerSettings: [LinkerSetting] =
  isEmbedded
  ? [
    // lld, which is part of the toolchain, merges equal functions and packs relocations: 0.15 MB.
    .unsafeFlags(
      ["-use-ld=lld", "-L\(embeddedLibraries)"]
        + ["--gc-sections", "--icf=all", "-z", "pack-relative-relocs"].flatMap { ["-Xlinker", $0] }),
    .linkedLibrary("swiftUnicodeDataTables"),
    .linkedLibrary("m"),
  ]
  : []

/// For code that runs a few times a second at most: on boards its size counts, not its speed.
let controlSettings: [SwiftSetting] = swiftSettings + (isEmbedded ? [.unsafeFlags(["-Osize"])] : [])

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: controlSettings)
}

/// A module whose work is counted in samples or in random runs of the tests: optimised in debug builds, too,
/// where the tests would spend minutes in it otherwise. `isHot`: for speed on boards as well.
func sampleModule(
  _ name: String, _ dependencies: [Target.Dependency] = [], isHot: Bool = false, exclude: [String] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, exclude: exclude,
    swiftSettings: (isHot ? swiftSettings : controlSettings)
      + [.unsafeFlags(["-O"], .when(configuration: .debug))])
}

let pluginExports = "\(Context.packageDirectory)/Sources/CodecPlugin/exports.map"

/// A codec plugin: a shared object `libSwiftletCodec<NAME>.so` that exports one C function.
func codec(_ name: String, _ library: Target.Dependency?) -> Target {
  .target(
    name: "SwiftletCodec\(name)",
    dependencies: ["CodecPlugin", "CodecSupport"] + (library.map { [$0] } ?? []),
    path: "Sources/Codecs/\(name)",
    swiftSettings: swiftSettings,
    linkerSettings: linkerSettings + [.unsafeFlags(["-Xlinker", "--version-script=\(pluginExports)"])])
}

func debianLibrary(_ name: String, pkgConfig: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig)
}

/// Tests that compare minutes of sound sample by sample are optimised even when the rest is not.
func tests(
  _ name: String, _ dependencies: [Target.Dependency], excluding: [String] = [], isOptimised: Bool = false,
  linkerSettings: [LinkerSetting] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: excluding,
    swiftSettings: sharedSettings + (isOptimised ? [.unsafeFlags(["-O"])] : [])
      + (realtimeSanitizer == nil ? [] : [.define("SWIFTLET_RTSAN")]),
    linkerSettings: linkerSettings)
}

/// The real-time sanitizer, whole: it takes the place of libc's functions that may block.
let sanitizerLinking: [LinkerSetting] =
  realtimeSanitizer.map {
    [
      .unsafeFlags(
        ["--whole-archive", $0, "--no-whole-archive", "--export-dynamic"].flatMap { ["-Xlinker", $0] }),
      .linkedLibrary("stdc++"),
    ]
  } ?? []

func sharedObject(_ name: String) -> Product { .library(name: name, type: .dynamic, targets: [name]) }

let codecNames = ["PCM", "FLAC", "Vorbis", "Opus", "MPEG"]

// What runs on a box.

let shippedProducts: [Product] =
  [.executable(name: "swiftlet", targets: ["swiftlet"])]
  + codecNames.map { sharedObject("SwiftletCodec\($0)") }

let shippedTargets: [Target] = [
  debianLibrary("CALSA", pkgConfig: "alsa"),
  debianLibrary("CFLAC", pkgConfig: "flac"),
  debianLibrary("CVorbisFile", pkgConfig: "vorbisfile"),
  debianLibrary("COpusFile", pkgConfig: "opusfile"),
  debianLibrary("CMPG123", pkgConfig: "libmpg123"),
  // Loaded by the workers that need it, not linked.
  .systemLibrary(name: "CSoxr"),
  debianLibrary("CSeccomp", pkgConfig: "libseccomp"),
  .target(name: "CLinux"),
  .target(name: "CodecPlugin", exclude: ["README.md", "exports.map"]),

  sampleModule("PlaybackModel"),
  sampleModule("AudioRing", ["PlaybackModel"], isHot: true),
  sampleModule("RealtimeAudio", ["PlaybackModel", "AudioRing"], isHot: true),
  module("Platform", ["CLinux"]),
  module("Checkpoints", ["PlaybackModel", "Platform", "CLinux"]),
  sampleModule(
    "Decoding",
    ["PlaybackModel", "AudioRing", "Platform", "CodecPlugin", "CSoxr", "CSeccomp", "CLinux"]),
  sampleModule("Outputs", ["RealtimeAudio", "PlaybackModel", "Platform", "CALSA", "CLinux"]),
  sampleModule("Controls", ["PlaybackModel", "Platform", "CLinux"], exclude: ["README.md"]),
  module("Console", ["PlaybackModel", "Platform", "Controls"]),
  sampleModule("Flight", ["PlaybackModel", "Platform"]),
  module("Player", ["PlaybackModel", "AudioRing", "RealtimeAudio", "Flight", "Platform"]),
  module("Media", ["PlaybackModel", "AudioRing", "Decoding", "Player", "Platform"]),
  module(
    "Daemon",
    [
      "PlaybackModel", "AudioRing", "RealtimeAudio", "Player", "Decoding", "Media", "Outputs", "Console",
      "Checkpoints", "Platform", "Controls", "Flight", "CLinux",
    ]),

  .target(
    name: "CodecSupport", dependencies: ["CodecPlugin"], path: "Sources/Codecs/Support",
    swiftSettings: swiftSettings),
  codec("PCM", nil),
  codec("FLAC", "CFLAC"),
  codec("Vorbis", "CVorbisFile"),
  codec("Opus", "COpusFile"),
  codec("MPEG", "CMPG123"),

  .executableTarget(
    name: "swiftlet",
    dependencies: [
      "PlaybackModel", "RealtimeAudio", "Player", "Decoding", "Media", "Outputs", "Console", "Controls",
      "Daemon",
      "Platform", "CLinux",
    ],
    swiftSettings: controlSettings,
    linkerSettings: linkerSettings),
]

// What tests need besides: a sound card made of software, and plugins that misbehave.

let testPluginNames = ["TestCodec", "WrongInterface", "CrashOnLoad"]

let testProducts: [Product] =
  [sharedObject("SwiftletVirtualCard"), sharedObject("SwiftletCodecTone"), sharedObject("SwiftletFaults")]
  + testPluginNames.map(sharedObject)

let testTargets: [Target] =
  testPluginNames.map {
    .target(name: $0, dependencies: ["CodecPlugin"], path: "Tests/HostilePlugins/\($0)")
  } + [
    .target(
      name: "SwiftletCodecTone", dependencies: ["CodecPlugin"], path: "Tests/ExamplePlugin",
      linkerSettings: [.linkedLibrary("m")]),
    .target(
      name: "SwiftletVirtualCard",
      dependencies: ["CALSA"],
      path: "Tests/VirtualCard",
      cSettings: [.define("PIC")]),
    .target(name: "SwiftletFaults", path: "Tests/Faults"),
    .target(
      name: "VirtualCardSupport",
      dependencies: ["SwiftletVirtualCard"],
      path: "Tests/VirtualCardSupport",
      swiftSettings: sharedSettings),

    tests("PlaybackModelTests", ["PlaybackModel"]),
    tests(
      "RealtimeAudioTests", ["RealtimeAudio", "AudioRing", "PlaybackModel"], isOptimised: true,
      linkerSettings: sanitizerLinking),
    tests(
      "DecodingTests", ["Decoding", "Media", "Player", "AudioRing", "PlaybackModel", "Platform", "CLinux"]),
    tests("CheckpointTests", ["Checkpoints", "PlaybackModel", "Platform"]),
    tests("FlightTests", ["Flight", "PlaybackModel", "Platform"], isOptimised: true),
    tests("CodecTests", ["CodecPlugin"]),
    tests(
      "OutputTests",
      ["Outputs", "AudioRing", "RealtimeAudio", "PlaybackModel", "Platform", "VirtualCardSupport"],
      isOptimised: true),
    tests("PlatformTests", ["Platform"]),
    tests("ControlsTests", ["Controls", "PlaybackModel", "Platform"], isOptimised: true),
    tests("ConsoleTests", ["Console", "Controls", "PlaybackModel"]),
    tests(
      "PlayerTests", ["Player", "PlaybackModel", "AudioRing", "RealtimeAudio", "Platform"], isOptimised: true),
    tests(
      "DaemonTests",
      [
        "Daemon", "Checkpoints", "Console", "Controls", "Decoding", "Outputs", "PlaybackModel", "Platform",
        "Player", "AudioRing", "RealtimeAudio", "Flight", "Simulator",
      ], isOptimised: true),
    tests("VirtualCardTests", ["VirtualCardSupport", "CALSA"]),
    tests("TidyTests", [], excluding: ["Rules"], isOptimised: true),
    tests(
      "EndToEndTests", ["VirtualCardSupport", "Checkpoints", "Console", "PlaybackModel", "Platform"],
      isOptimised: true),
  ]

/// What scripts/demo makes its music and draws its picture with. Not part of a board build.
let demoTools: [Target] = ["DemoMusic", "DemoPicture"].map {
  .executableTarget(
    name: $0,
    dependencies: $0 == "DemoPicture" ? ["PlaybackModel"] : [],
    path: "Tools/\($0)",
    // Also optimised in a debug build: millions of sines.
    swiftSettings: sharedSettings + [.unsafeFlags(["-O"])])
}

/// The deterministic simulation of a whole box, and the program that runs it. Not part of a board build.
let simulatorTargets: [Target] = [
  .target(
    name: "Simulator",
    dependencies: [
      "Daemon", "Checkpoints", "Controls", "Decoding", "Outputs", "Player", "PlaybackModel", "AudioRing",
      "RealtimeAudio", "Flight", "Platform",
    ],
    path: "Tools/Simulator",
    // Also optimised in a debug build: it runs hours of box time.
    swiftSettings: sharedSettings + [.unsafeFlags(["-O"])]),
  .executableTarget(
    name: "swiftlet-sim", dependencies: ["Simulator"], path: "Tools/SimulatorCommand",
    swiftSettings: sharedSettings + [.unsafeFlags(["-O"])]),
  tests(
    "SimulatorTests", ["Simulator", "Player", "PlaybackModel", "RealtimeAudio", "Flight", "Platform"],
    excluding: ["Scripts"], isOptimised: true),
]

/// Programs that feed what outsiders can write to its readers, guided by coverage. See scripts/fuzz.
let fuzzTargets: [Target] =
  [
    .target(name: "LibFuzzer", path: "Fuzz/LibFuzzer"),
    .target(name: "Fuzzing", dependencies: ["LibFuzzer"], path: "Fuzz/Support"),
  ]
  + [
    ("Console", "Console"), ("Playlists", "Decoding"), ("Messages", "Decoding"),
    ("Checkpoint", "Checkpoints"),
  ].map { name, module in
    .executableTarget(
      name: "Fuzz\(name)", dependencies: ["Fuzzing", .target(name: module)], path: "Fuzz/\(name)",
      linkerSettings: [
        .unsafeFlags([
          "-Xlinker", "--whole-archive", "-Xlinker", fuzzer ?? "", "-Xlinker", "--no-whole-archive",
        ]),
        .linkedLibrary("stdc++"), .linkedLibrary("m"),
      ])
  }

let fuzzedTargets: Set = [
  "CLinux", "CodecPlugin", "CSoxr", "CSeccomp", "PlaybackModel", "AudioRing", "Platform", "Checkpoints",
  "Decoding", "Console", "Controls",
]

let renderingTargets: Set = ["PlaybackModel", "AudioRing", "RealtimeAudio", "RealtimeAudioTests"]

/// All targets, or those of a special run.
let targets: [Target] =
  fuzzer != nil
  ? shippedTargets.filter { fuzzedTargets.contains($0.name) } + fuzzTargets
  : (shippedTargets + (isEmbedded ? [] : testTargets + demoTools + simulatorTargets))
    .filter { !isRenderingOnly || renderingTargets.contains($0.name) }

/// The names of a target and of all that it needs.
func closure(of name: String, in targets: [Target]) -> Set<String> {
  var found: Set<String> = []
  var open = [name]
  while let next = open.popLast() {
    guard found.insert(next).inserted else { continue }
    for dependency in targets.first(where: { $0.name == next })?.dependencies ?? [] {
      switch dependency {
      case .targetItem(let name, _), .byNameItem(let name, _): open.append(name)
      default: break
      }
    }
  }
  return found
}

let neededTargets = onlyTarget.map { closure(of: $0, in: targets) }

let package = Package(
  name: "swiftlet",
  products: isRenderingOnly || fuzzer != nil || onlyTarget != nil
    ? [] : shippedProducts + (isEmbedded ? [] : testProducts),
  targets: targets.filter { neededTargets?.contains($0.name) ?? true },
  swiftLanguageModes: [.v6]
)
