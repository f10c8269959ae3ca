// swift-tools-version: 6.2
// The package: the program `swiftlet`, the library SwiftletEngine, the codec plugins, and the modules of Sources/README.md.
// Two environment variables, which scripts set, choose other builds:
//   SWIFTLET_EMBEDDED=1       the same sources as Embedded Swift, for boards (scripts/build-embedded)
//   SWIFTLET_ONLY=NAME,NAME   these targets and what they need
// What is the same for all targets of such a build, the scripts give to `swift build`.
import PackageDescription

let isEmbedded = Context.environment["SWIFTLET_EMBEDDED"] == "1"
let only = Context.environment["SWIFTLET_ONLY"].map { Set($0.split(separator: ",").map(String.init)) }

/// Whether another package depends on this one, which must do without unsafe flags then: docs/decisions/0014-a-public-face.md.
let isDependency = Context.packageDirectory.split(separator: "/").contains("checkouts")

/// `small`: code that runs a few times a second at most. `samples`: work counted in samples, or in random runs of the tests:
/// optimised in debug builds, too, where these would spend minutes in it. `hot`: for speed also on boards, not for size.
enum Speed { case small, samples, hot }

func settings(_ speed: Speed) -> [SwiftSetting] {
  var settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]
  if isEmbedded { settings.append(.enableExperimentalFeature("Embedded")) }
  if isEmbedded {
    // Code that occurs more than once is called: 0.1 MB. Where it is hot, the calls cost more than the copies.
    let size = ["-Osize", "-Xllvm", "-enable-machine-outliner=always"]
    let speed = speed == .hot ? ["-Xllvm", "-enable-machine-outliner=never"] : size
    settings.append(.unsafeFlags(speed))
  }
  if !isDependency, speed != .small { settings.append(.unsafeFlags(["-O"], .when(configuration: .debug))) }
  return settings
}

/// What lies beside sources and is none.
let others = [
  "Controls": ["README.md"], "CodecPlugin": ["README.md", "exports.map"], "SimulatorTests": ["Scripts"],
  "TransportPlugin": ["README.md", "exports.map"], "CodecTests": ["Samples"], "DaemonTests": ["Samples"],
  "TidyTests": ["Rules"],
]

/// Targets in a folder, each called as its own folder, behind a prefix, with those that it needs (Sources/imports.txt).
func targets(
  _ speed: Speed, in folder: String, prefix: String = "", arePrograms: Bool = false, _ table: [String: String]
) -> [Target] {
  table.sorted { $0.key < $1.key }.map { key, needs in
    let (name, path, settings, rest) = (prefix + key, "\(folder)/\(key)", settings(speed), others[key] ?? [])
    let needs = needs.split(separator: " ").map { Target.Dependency.byName(name: "\($0)") }
    if arePrograms {
      return .executableTarget(name: name, dependencies: needs, path: path, swiftSettings: settings)
    }
    if key.hasSuffix("Tests") {
      return .testTarget(name: name, dependencies: needs, path: path, exclude: rest, swiftSettings: settings)
    }
    return .target(name: name, dependencies: needs, path: path, exclude: rest, swiftSettings: settings)
  }
}

/// Of the system, with their names for pkg-config. The workers that need libsoxr load it.
let libraries = [
  "CALSA": "alsa", "CFLAC": "flac", "CVorbisFile": "vorbisfile", "COpusFile": "opusfile", "CSoxr": nil,
  "CSQLite": nil, "CMosquitto": nil, "CAvahi": nil, "CRooms": nil, "CNFC": nil,
  "CMPG123": "libmpg123", "CFAAD": "faad2", "CWavPack": "wavpack", "CCurl": "libcurl",
  "CSeccomp": "libseccomp",
]
let modules: [Speed: [String: String]] = [
  .hot: [
    "CLinux": "", "CodecPlugin": "", "TransportPlugin": "", "CodecSupport": "CodecPlugin",
    "AudioRing": "PlaybackModel", "RealtimeAudio": "AudioRing",
  ],
  .samples: [
    "PlaybackModel": "", "Controls": "PlaybackModel Platform", "Flight": "PlaybackModel Platform",
    "Outputs": "RealtimeAudio Platform CALSA", "Decoding": "AudioRing Streaming CodecPlugin CSoxr",
    "Checkpoints": "PlaybackModel Platform", "Pictures": "Decoding",
    "Rooms": "PlaybackModel Platform Confinement CRooms",
  ],
  .small: [
    "Platform": "CLinux", "Confinement": "Platform CSeccomp", "Console": "Controls",
    "Streaming": "Platform Confinement TransportPlugin",
    "Player": "RealtimeAudio Flight Platform", "Media": "Decoding Player", "Library": "Media CSQLite",
    "SwiftletEngine": "Media Outputs Console",
    "Daemon": "SwiftletEngine Checkpoints Neighbours Readers Library Pictures",
    "Neighbours": "Platform Confinement Console CMosquitto CAvahi",
    "Readers": "Controls Confinement CNFC",
  ],
]

/// Plugins, which show one C function to others.
let codecs = targets(
  .hot, in: "Sources/Codecs", prefix: "SwiftletCodec",
  [
    "PCM": "", "FLAC": "CFLAC", "Vorbis": "CVorbisFile", "Opus": "COpusFile", "MPEG": "CMPG123",
    "AAC": "CFAAD", "WavPack": "CWavPack",
  ].mapValues { "CodecSupport " + $0 })
let transports = targets(
  .small, in: "Sources/Transports", prefix: "SwiftletTransport", ["HTTP": "TransportPlugin CCurl"])
for (plugins, abi) in [(codecs, "CodecPlugin"), (transports, "TransportPlugin")] where !isDependency {
  let exports = "--version-script=\(Context.packageDirectory)/Sources/\(abi)/exports.map"
  for plugin in plugins { plugin.linkerSettings = [.unsafeFlags(["-Xlinker", exports])] }
}

let shipped =
  libraries.map { Target.systemLibrary(name: $0, pkgConfig: $1) } + codecs + transports
  + modules.flatMap { targets($0, in: "Sources", $1) }
  + targets(.small, in: "Sources", arePrograms: true, ["swiftlet": "Daemon Rooms"])

/// A sound card made of software, and plugins and storage that misbehave.
let hostile = [
  "TestCodec": "CodecPlugin", "WrongInterface": "CodecPlugin", "CrashOnLoad": "CodecPlugin",
  "TestTransport": "TransportPlugin", "PryingNFC": "", "FirstInterface": "", "SecondInterface": "",
  "MeasuringInterface": "",
]
let tone = Target.target(
  name: "SwiftletCodecTone", dependencies: ["CodecPlugin"], path: "examples/codec-c",
  exclude: ["README.md"], publicHeadersPath: ".", linkerSettings: [.linkedLibrary("m")])
let fakes =
  targets(.small, in: "Tests", prefix: "Swiftlet", ["VirtualCard": "CALSA", "Faults": "", "NoSeccomp": ""])
  + targets(.small, in: "Tests/HostilePlugins", hostile) + [tone]
let tools = ["FadeFormulas": "PlaybackModel", "Simulator": "Daemon FadeFormulas", "Conversations": "Media"]
let programs = ["swiftlet-sim": "Simulator", "swiftlet-converse": "Conversations"]
let demo = ["DemoMusic": "", "DemoPicture": "PlaybackModel"]
let suites = [
  "PlaybackModelTests": "FadeFormulas", "PlatformTests": "RealTimeSupport Platform", "FlightTests": "Flight",
  "RealtimeAudioTests": "RealTimeSupport RealtimeAudio FadeFormulas Platform",
  "CheckpointTests": "RealTimeSupport Checkpoints",
  "CodecTests": "CodecPlugin ChildSupport SwiftletCodecAAC",
  "DecodingTests": "RealTimeSupport Media Rooms Readers Neighbours Pictures ChildSupport TransportPlugin",
  "PlayerTests": "Player",
  "ConversationTests": "RealTimeSupport Conversations",
  "OutputTests": "RealTimeSupport Outputs VirtualCardSupport",
  "VirtualCardSupport": "SwiftletVirtualCard", "VirtualCardTests": "RealTimeSupport VirtualCardSupport",
  "ChildSupport": "Platform", "RealTimeSupport": "", "ControlsTests": "Controls", "ConsoleTests": "Console",
  "DaemonTests": "Simulator Neighbours", "NeighboursTests": "Neighbours",
  "SwiftletEngineTests": "SwiftletEngine", "LibraryTests": "Library ChildSupport",
  "PicturesTests": "RealTimeSupport Pictures", "RoomsTests": "Rooms",
  "SimulatorTests": "Simulator",
  "TidyTests": "",
  "EndToEndTests": "RealTimeSupport ChildSupport VirtualCardSupport Checkpoints Console FadeFormulas",
]
let tests =
  fakes + targets(.samples, in: "Tools", tools) + targets(.samples, in: "Tests", suites)
  + targets(.samples, in: "Tools", arePrograms: true, programs.merging(demo) { $1 })
  + targets(.small, in: "Tests", arePrograms: true, ["StallingStorage": ""])

/// Built only where they are asked for: libFuzzer brings their `main`.
let fuzzed = [
  "Console": "Console", "Playlists": "Decoding", "Messages": "Decoding", "Checkpoint": "Checkpoints",
  "Conversations": "Conversations", "Packets": "SwiftletCodecAAC", "Neighbours": "Neighbours",
  "Filters": "Library", "Pictures": "Pictures", "Rooms": "Rooms",
].mapValues { "Fuzzing " + $0 }
let fuzzers =
  targets(.samples, in: "Fuzz", ["LibFuzzer": "", "Fuzzing": "LibFuzzer"])
  + targets(.samples, in: "Fuzz", prefix: "Fuzz", arePrograms: true, fuzzed)

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
