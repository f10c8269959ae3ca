// swift-tools-version: 6.2
// The package: the program `swiftlet`, the library SwiftletEngine, the codec plugins, and the modules of Sources/README.md.
// Each target lists the modules that its files import; `scripts/tidy` compares, and
// `swift build --explicit-target-dependency-import-check error` fails on an import without a dependency.
// Two environment variables, which scripts set, choose other builds:
//   SWIFTLET_EMBEDDED=1       the same sources as Embedded Swift, for boards (scripts/build-embedded)
//   SWIFTLET_ONLY=NAME,NAME   these targets and their dependencies
// Flags shared by all targets of such a build are arguments of `swift build` in the scripts.
import PackageDescription

let isEmbedded = Context.environment["SWIFTLET_EMBEDDED"] == "1"
let only = Context.environment["SWIFTLET_ONLY"].map { Set($0.split(separator: ",").map(String.init)) }

/// Whether another package depends on this one; SwiftPM then refuses unsafe flags: docs/decisions/0014-a-public-face.md.
let isDependency = Context.packageDirectory.split(separator: "/").contains("checkouts")

/// Settings of a target. `optimize`: -O in debug builds, too, for code that counts samples or explores states. `forSpeed`: Embedded
/// builds optimize for speed instead of size.
func settings(optimize: Bool, forSpeed: Bool) -> [SwiftSetting] {
  var settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]
  if isEmbedded {
    // The outliner turns repeated code into calls: 0.1 MB less. In hot code these calls cost more than the copies.
    let size = ["-Osize", "-Xllvm", "-enable-machine-outliner=always"]
    let speed = ["-Xllvm", "-enable-machine-outliner=never"]
    settings += [.enableExperimentalFeature("Embedded"), .unsafeFlags(forSpeed ? speed : size)]
  }
  if !isDependency, optimize { settings.append(.unsafeFlags(["-O"], .when(configuration: .debug))) }
  return settings
}

/// Code that runs a few times a second at most.
let small = settings(optimize: false, forSpeed: false)
/// Work counted in samples, or in random runs of the tests: a debug build would spend minutes in it.
let samples = settings(optimize: true, forSpeed: false)
/// The audio thread and the decoders.
let hot = settings(optimize: true, forSpeed: true)

/// A library that is loaded at run time by the processes that use it.
func loaded(_ name: String, _ path: String) -> Target {
  .systemLibrary(name: name, path: "Sources/" + path)
}

/// A codec plugin. Plugins export one C function each.
func codec(_ name: String, _ library: String...) -> Target {
  .target(
    name: "SwiftletCodec" + name,
    dependencies: (["CodecPlugin", "CodecSupport"] + library).map { .byName(name: $0) },
    path: "Sources/Decoding/Codecs/" + name, swiftSettings: hot,
    linkerSettings: exports(of: "Sources/Decoding/CodecPlugin"))
}

/// Linker settings that export the entry point of a plugin interface only.
func exports(of folder: String) -> [LinkerSetting] {
  let map = "--version-script=\(Context.packageDirectory)/\(folder)/exports.map"
  return isDependency ? [] : [.unsafeFlags(["-Xlinker", map])]
}

/// A module, with the path of its folder below Sources.
func module(
  _ name: String, _ path: String, _ settings: [SwiftSetting], _ dependencies: [Target.Dependency] = [],
  exclude: [String] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/" + path, exclude: exclude, swiftSettings: settings
  )
}

/// The features of a box, each a folder of Sources/Box/Features: `Commands` has its commands and settings and is compiled into
/// Console, `Stored` has the format of its file and is compiled into Checkpoints, `Box` has its behaviour and is compiled into Daemon.
let features: [(name: String, parts: [String])] = [
  ("Alarms", ["Box", "Commands", "Stored"]),
  ("Announcements", ["Box", "Commands"]),
  ("Bookmarks", ["Box", "Commands", "Stored"]),
  ("Cues", ["Box", "Commands"]),
  ("Diagnostics", ["Box"]),
  ("Equalizer", ["Box", "Commands"]),
  ("Fallback", ["Box", "Commands"]),
  ("Integrations", ["Box", "Commands"]),
  ("Library", ["Box", "Commands"]),
  ("Limits", ["Box", "Commands", "Stored"]),
  ("LiveInputs", ["Box", "Commands"]),
  ("Pictures", ["Box", "Commands"]),
  ("Playlists", ["Box", "Commands", "Stored"]),
  ("Reports", ["Box", "Commands"]),
  ("Sleep", ["Box", "Commands"]),
  ("Stickers", ["Box", "Commands", "Stored"]),
  ("Storage", ["Box", "Commands"]),
  ("Tags", ["Box", "Commands", "Stored"]),
  ("Updates", ["Box", "Commands"]),
  ("Volume", ["Box", "Commands"]),
]

/// The folders of features that are compiled into a part, or into another one.
func featureFolders(_ isWanted: (String) -> Bool) -> [String] {
  var folders: [String] = []
  for feature in features {
    for part in feature.parts where isWanted(part) { folders.append("Features/" + feature.name + "/" + part) }
  }
  return folders
}

/// A module of Sources/Box that features add files to: its own folder, and the folder `part` of each feature that has one.
func boxModule(
  _ name: String, part: String, _ settings: [SwiftSetting], _ dependencies: [Target.Dependency]
) -> Target {
  let others = ["Checkpoints", "Console", "Controls", "Daemon"].filter { $0 != name }
  return .target(
    name: name, dependencies: dependencies, path: "Sources/Box",
    exclude: others + featureFolders { $0 != part }, sources: [name] + featureFolders { $0 == part },
    swiftSettings: settings)
}

let codecs = [
  codec("PCM", "MediaFormats"), codec("FLAC", "CFLAC", "MediaFormats"), codec("Vorbis", "CVorbisFile"),
  codec("Opus", "COpusFile"),
  codec("MPEG", "CMPG123"), codec("AAC", "CFAAD", "MediaFormats"), codec("WavPack", "CWavPack"),
]
let transports: [Target] = [
  .target(
    name: "SwiftletTransportHTTP", dependencies: ["TransportPlugin", "CCurl"],
    path: "Sources/Streaming/Transports/HTTP", swiftSettings: small,
    linkerSettings: exports(of: "Sources/Streaming/TransportPlugin"))
]

let shipped: [Target] =
  [
    // Model
    module("PlaybackModel", "Model/PlaybackModel", samples),

    // System
    module("CLinux", "System/CLinux", hot),
    .systemLibrary(name: "CSeccomp", path: "Sources/System/C/Seccomp", pkgConfig: "libseccomp"),
    module("Platform", "System/Platform", small, ["CLinux", "CSeccomp"]),

    // Audio
    .systemLibrary(name: "CALSA", path: "Sources/Audio/C/ALSA", pkgConfig: "alsa"),
    module("AudioRing", "Audio/AudioRing", hot, ["PlaybackModel"]),
    module("RealtimeAudio", "Audio/RealtimeAudio", hot, ["AudioRing", "PlaybackModel"]),
    module(
      "Outputs", "Audio/Outputs", samples, ["CALSA", "CLinux", "Platform", "PlaybackModel", "RealtimeAudio"]),

    // Formats
    .systemLibrary(name: "CZlib", path: "Sources/Formats/C/Zlib", pkgConfig: "zlib"),
    loaded("CExpat", "Formats/C/Expat"),
    module("MediaFormats", "Formats/MediaFormats", hot, ["CZlib"]),
    module("Playlists", "Formats/Playlists", samples, ["CExpat", "CLinux", "Platform", "PlaybackModel"]),

    // Decoding
    .systemLibrary(name: "CFLAC", path: "Sources/Decoding/C/FLAC", pkgConfig: "flac"),
    .systemLibrary(name: "CVorbisFile", path: "Sources/Decoding/C/VorbisFile", pkgConfig: "vorbisfile"),
    .systemLibrary(name: "COpusFile", path: "Sources/Decoding/C/OpusFile", pkgConfig: "opusfile"),
    .systemLibrary(name: "CMPG123", path: "Sources/Decoding/C/MPG123", pkgConfig: "libmpg123"),
    .systemLibrary(name: "CFAAD", path: "Sources/Decoding/C/FAAD", pkgConfig: "faad2"),
    .systemLibrary(name: "CWavPack", path: "Sources/Decoding/C/WavPack", pkgConfig: "wavpack"),
    loaded("CSoxr", "Decoding/C/Soxr"),
    module("CodecPlugin", "Decoding/CodecPlugin", hot, exclude: ["README.md", "exports.map"]),
    module("CodecSupport", "Decoding/CodecSupport", hot, ["CodecPlugin", "MediaFormats"]),
    module(
      "Decoding", "Decoding/Decoding", samples,
      [
        "AudioRing", "CLinux", "CSoxr", "CodecPlugin", "MediaFormats", "Platform", "PlaybackModel",
        "Playlists",
        "Streaming",
      ]),

    // Streaming
    .systemLibrary(name: "CCurl", path: "Sources/Streaming/C/Curl", pkgConfig: "libcurl"),
    module("TransportPlugin", "Streaming/TransportPlugin", hot, exclude: ["README.md", "exports.map"]),
    module(
      "Streaming", "Streaming/Streaming", small, ["CLinux", "MediaFormats", "Platform", "TransportPlugin"]),

    // Player
    module("Flight", "Player/Flight", samples, ["Platform", "PlaybackModel"]),
    module(
      "Player", "Player/Player", small, ["AudioRing", "Flight", "Platform", "PlaybackModel", "RealtimeAudio"]),
    module(
      "SwiftletEngine", "Player/SwiftletEngine", small,
      [
        "CLinux", "Console", "Decoding", "Media", "Outputs", "Platform", "PlaybackModel", "Player",
        "RealtimeAudio", "Streaming",
      ]),

    // Media
    loaded("CSQLite", "Media/C/SQLite"),
    module(
      "Media", "Media/Media", small,
      ["AudioRing", "CLinux", "Decoding", "Platform", "PlaybackModel", "Player", "Playlists", "Streaming"]),
    module(
      "Library", "Media/Library", small,
      ["CLinux", "CSQLite", "Decoding", "Media", "Platform", "PlaybackModel"]),
    module("Pictures", "Media/Pictures", samples, ["CLinux", "Decoding", "MediaFormats", "Platform"]),

    // Box
    boxModule("Console", part: "Commands", small, ["Controls", "Platform", "PlaybackModel"]),
    module("Controls", "Box/Controls", samples, ["Platform", "PlaybackModel"], exclude: ["README.md"]),
    boxModule("Checkpoints", part: "Stored", samples, ["CLinux", "Platform", "PlaybackModel"]),
    boxModule(
      "Daemon", part: "Box", small,
      [
        "AudioRing", "Checkpoints", "Console", "Controls", "Decoding", "Flight", "Library", "Media",
        "Integrations",
        "Outputs", "Pictures", "Platform", "PlaybackModel", "Player", "NFC", "RealtimeAudio",
        "SwiftletEngine",
      ]),

    // Integrations
    loaded("CMosquitto", "Integrations/C/Mosquitto"),
    loaded("CAvahi", "Integrations/C/Avahi"),
    loaded("CSnapcast", "Integrations/C/Snapcast"),
    loaded("CNFC", "Integrations/C/NFC"),
    module(
      "Integrations", "Integrations/Integrations", small,
      ["CAvahi", "CLinux", "CMosquitto", "Console", "Platform", "PlaybackModel"]),
    module(
      "SnapcastClient", "Integrations/SnapcastClient", samples,
      ["CLinux", "CSnapcast", "Platform", "PlaybackModel"]),
    module("NFC", "Integrations/NFC", small, ["CLinux", "CNFC", "Controls", "Platform", "PlaybackModel"]),

    // Programs
    .executableTarget(
      name: "swiftlet",
      dependencies: [
        "CLinux", "Checkpoints", "Console", "Controls", "Daemon", "Decoding", "Library", "Media",
        "Integrations",
        "Outputs", "Pictures", "Platform", "PlaybackModel", "Player", "NFC", "RealtimeAudio",
        "SnapcastClient",
        "Streaming", "SwiftletEngine",
      ],
      path: "Sources/Programs/swiftlet", swiftSettings: small),
  ] + codecs + transports

/// A program or library of Tools or Tests, with the path of its folder.
func tool(_ name: String, _ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: samples)
}

func program(_ name: String, _ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: samples)
}

/// A module that misbehaves on purpose: a plugin, a library that is preloaded, a device.
func fake(_ name: String, _ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: "Tests/" + path, swiftSettings: small)
}

func suite(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: "Tests/" + name, exclude: exclude, swiftSettings: samples)
}

let fakes: [Target] = [
  fake("SwiftletVirtualCard", "VirtualCard", ["CALSA"]),
  fake("SwiftletFaults", "Faults"),
  fake("SwiftletNoSeccomp", "NoSeccomp"),
  fake("TestCodec", "HostilePlugins/TestCodec", ["CodecPlugin"]),
  fake("WrongInterface", "HostilePlugins/WrongInterface", ["CodecPlugin"]),
  fake("CrashOnLoad", "HostilePlugins/CrashOnLoad", ["CodecPlugin"]),
  fake("TestTransport", "HostilePlugins/TestTransport", ["TransportPlugin"]),
  fake("PryingNFC", "HostilePlugins/PryingNFC"),
  fake("FirstInterface", "HostilePlugins/FirstInterface"),
  fake("SecondInterface", "HostilePlugins/SecondInterface"),
  fake("MeasuringInterface", "HostilePlugins/MeasuringInterface"),
  .target(
    name: "SwiftletCodecTone", dependencies: ["CodecPlugin"], path: "examples/codec-c",
    exclude: ["README.md"],
    publicHeadersPath: ".", linkerSettings: [.linkedLibrary("m")]),
]

let tests: [Target] =
  fakes + [
    tool("FadeFormulas", "Tools/FadeFormulas", ["PlaybackModel"]),
    tool(
      "Simulator", "Tools/Simulator",
      [
        "AudioRing", "Checkpoints", "Controls", "Daemon", "Decoding", "FadeFormulas", "Flight", "Media",
        "Outputs", "Platform", "PlaybackModel", "Player", "RealtimeAudio", "SwiftletEngine",
      ]),
    tool(
      "Conversations", "Tools/Conversations",
      [
        "AudioRing", "CLinux", "Decoding", "Flight", "Media", "Platform", "PlaybackModel", "Player",
        "RealtimeAudio",
      ]),
    program("swiftlet-sim", "Tools/swiftlet-sim", ["Simulator"]),
    program("swiftlet-converse", "Tools/swiftlet-converse", ["CLinux", "Conversations", "Platform"]),
    program("DemoMusic", "Tools/DemoMusic"),
    program("DemoPicture", "Tools/DemoPicture", ["PlaybackModel"]),
    .executableTarget(name: "StallingStorage", path: "Tests/StallingStorage", swiftSettings: small),

    // What test suites share
    tool("ChildSupport", "Tests/ChildSupport", ["CLinux", "Platform"]),
    tool("RealTimeSupport", "Tests/RealTimeSupport"),
    tool("VirtualCardSupport", "Tests/VirtualCardSupport", ["SwiftletVirtualCard"]),

    suite("PlaybackModelTests", ["FadeFormulas", "PlaybackModel"]),
    suite("PlatformTests", ["CLinux", "Platform", "PlaybackModel", "RealTimeSupport"]),
    suite("FlightTests", ["Flight", "Platform", "PlaybackModel"]),
    suite(
      "RealtimeAudioTests",
      ["AudioRing", "FadeFormulas", "Platform", "PlaybackModel", "RealTimeSupport", "RealtimeAudio"]),
    suite("CheckpointTests", ["Checkpoints", "Platform", "PlaybackModel", "RealTimeSupport"]),
    suite(
      "CodecTests", ["ChildSupport", "CodecPlugin", "CodecSupport", "SwiftletCodecAAC"],
      exclude: ["Samples"]),
    suite("MediaFormatsTests", ["MediaFormats"]),
    suite(
      "DecodingTests",
      [
        "AudioRing", "CLinux", "ChildSupport", "CodecPlugin", "Decoding", "Media", "MediaFormats",
        "Integrations",
        "Pictures", "Platform",
        "PlaybackModel", "Player", "Playlists", "NFC", "RealTimeSupport", "RealtimeAudio", "SnapcastClient",
        "Streaming", "TransportPlugin",
      ]),
    suite("PlaylistsTests", ["PlaybackModel", "Playlists"]),
    suite("PlayerTests", ["AudioRing", "Platform", "PlaybackModel", "Player", "RealtimeAudio"]),
    suite("ConversationTests", ["Conversations", "RealTimeSupport"]),
    suite(
      "OutputTests",
      [
        "AudioRing", "CLinux", "Outputs", "Platform", "PlaybackModel", "RealTimeSupport", "RealtimeAudio",
        "VirtualCardSupport",
      ]),
    suite("VirtualCardTests", ["CALSA", "RealTimeSupport", "VirtualCardSupport"]),
    suite("ControlsTests", ["Controls", "Platform", "PlaybackModel"]),
    suite("ConsoleTests", ["Console", "Controls", "Platform", "PlaybackModel"]),
    suite(
      "DaemonTests",
      [
        "AudioRing", "Checkpoints", "Console", "Controls", "Daemon", "Decoding", "Flight", "Library", "Media",
        "Integrations", "Outputs", "Pictures", "Platform", "PlaybackModel", "Player", "RealtimeAudio",
        "Simulator",
        "SwiftletEngine",
      ], exclude: ["Samples", "Transcripts"]),
    suite("IntegrationsTests", ["Console", "Integrations", "Platform", "PlaybackModel"]),
    suite("SwiftletEngineTests", ["PlaybackModel", "SwiftletEngine"]),
    suite("LibraryTests", ["Decoding", "Library", "Media", "Platform"]),
    suite("PicturesTests", ["Decoding", "Pictures", "Platform", "RealTimeSupport"]),
    suite("SnapcastClientTests", ["PlaybackModel", "SnapcastClient"]),
    suite("SimulatorTests", ["Flight", "Simulator"], exclude: ["Scripts"]),
    suite("TidyTests", [], exclude: ["Rules"]),
    suite(
      "EndToEndTests",
      [
        "CLinux", "Checkpoints", "ChildSupport", "Console", "FadeFormulas", "Platform", "PlaybackModel",
        "RealTimeSupport", "VirtualCardSupport",
      ], exclude: ["References"]),
  ]

/// A fuzz target, built by scripts/fuzz only: libFuzzer brings its `main`.
func fuzzer(_ name: String, _ subjects: Target.Dependency...) -> Target {
  program("Fuzz" + name, "Fuzz/" + name, ["Fuzzing"] + subjects)
}

let fuzzers = [
  tool("LibFuzzer", "Fuzz/LibFuzzer"),
  tool("Fuzzing", "Fuzz/Fuzzing", ["LibFuzzer"]),
  fuzzer("Console", "Console"), fuzzer("Playlists", "Playlists", "Streaming"), fuzzer("Messages", "Decoding"),
  fuzzer("Checkpoint", "Checkpoints"), fuzzer("Conversations", "Conversations"),
  fuzzer("Packets", "SwiftletCodecAAC"), fuzzer("Integrations", "Integrations"), fuzzer("Filters", "Library"),
  fuzzer("Formats", "MediaFormats"), fuzzer("Pictures", "Pictures"), fuzzer("Snapcast", "SnapcastClient"),
]

/// The targets of some names and all that they need.
func closure(of names: Set<String>, in targets: [Target]) -> [Target] {
  let found = targets.filter { names.contains($0.name) }
  let needs = found.flatMap(\.dependencies).compactMap {
    if case .byNameItem(let name, _) = $0 { name } else { nil }
  }
  let more = names.union(needs)
  return more == names ? found : closure(of: more, in: targets)
}

let usual = isEmbedded || isDependency ? shipped : shipped + tests
let sharedObjects = codecs + transports + (usual.count > shipped.count ? fakes : [])
let products: [Product] =
  [
    .executable(name: "swiftlet", targets: ["swiftlet"]),
    .library(name: "SwiftletEngine", targets: ["SwiftletEngine"]),
    .library(name: "CodecSupport", targets: ["CodecSupport", "CodecPlugin"]),
  ] + sharedObjects.map { .library(name: $0.name, type: .dynamic, targets: [$0.name]) }

let package = Package(
  name: "swiftlet",
  products: only != nil ? [] : products,
  targets: only.map { closure(of: $0, in: shipped + tests + fuzzers) } ?? usual, swiftLanguageModes: [.v6])
