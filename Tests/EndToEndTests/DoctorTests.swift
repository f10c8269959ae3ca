// `swiftlet doctor` on a machine without a plugin that stored names need, and with a daemon that hangs. Test threads.

import Foundation
import Testing

import func CLinux.clinux_bind_unix
import func CLinux.clinux_connect_unix

@Suite struct DoctorTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

  private static func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: sources.appending(path: folder).path)) ?? [])
      .sorted()
  }

  /// The plugins that Swiftlet ships.
  static let codecs = names(in: "Decoding/Codecs")
  static let transports = names(in: "Streaming/Transports")

  /// A name that needs the plugin.
  static func reference(_ plugin: String) -> String {
    let endings = [
      "AAC": "m4b", "FLAC": "flac", "MPEG": "mp3", "Opus": "opus", "PCM": "wav", "Vorbis": "ogg",
      "WavPack": "wv",
    ]
    return endings[plugin].map { "x." + $0 } ?? "\(plugin.lowercased())://127.0.0.1:9/x"
  }

  /// The package of the plugin: packages with a single plugin are in `packaging`.
  static func package(_ plugin: String) -> String {
    if transports.contains(plugin) { return "swiftlet-" + plugin.lowercased() }
    let folder = sources.deletingLastPathComponent().appending(path: "packaging/codecs/\(plugin)")
    return FileManager.default.fileExists(atPath: folder.path)
      ? "sudo apt install swiftlet-codec-\(plugin.lowercased())" : "sudo apt install --reinstall swiftlet"
  }

  /// A socket that accepts no connections stands for a daemon that hangs; with a full queue, connecting fails too.
  @Test(arguments: [false, true]) func aDaemonThatHangsIsNamed(isFull: Bool) throws {
    let bench = try Workbench()
    let path = bench.path("control")
    var sockets = [socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)]
    defer { for descriptor in sockets { close(descriptor) } }
    try #require(clinux_bind_unix(sockets[0], path) == 0 && listen(sockets[0], 0) == 0)
    while isFull {
      let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
      sockets.append(client)
      guard clinux_connect_unix(client, path) == 0 else { break }
    }
    let outcome = try bench.start(["doctor", "--socket", path]).wait(seconds: 40)
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("PROBLEM  daemon: The daemon at \(path) does not respond"), "\(outcome)")
  }

  /// Tags, alarms, playlists, the queue and a folder, each with a track for each plugin.
  @Test func aMissingPluginIsNamedWithItsPackage() throws {
    let plugins = Self.codecs + Self.transports
    #expect(Self.codecs.count >= 7 && Self.transports.contains("HTTP"))
    let bench = try Workbench()
    let folder = FileManager.default
    for (number, plugin) in plugins.enumerated() where Self.codecs.contains(plugin) {
      try folder.createDirectory(atPath: bench.path("d\(number)/in"), withIntermediateDirectories: true)
      for name in [Self.reference(plugin), "d\(number)/in/y\u{1B}[31m\n" + Self.reference(plugin)] {
        try bench.write(Data("x".utf8), as: name)
      }
    }
    let box = try BoxRig(bench: bench)
    for (number, plugin) in plugins.enumerated() {
      let name = Self.reference(plugin)
      try box.tell("queue clear")
      try box.tell("queue add \(name)")
      try box.tell("playlist save p\(number)")
      try box.tell("tag 04aabb0\(number) play \(name)")
      try box.tell("alarm 7:0\(number) daily play \(name)")
      if Self.codecs.contains(plugin) { try box.tell("tag 05aabb0\(number) play d\(number)") }
    }
    try box.tell("queue clear")
    for plugin in plugins { try box.tell("queue add \(Self.reference(plugin))") }
    kill(box.daemon.identifier, SIGTERM)
    _ = box.daemon.wait(seconds: 20)

    func doctor(without missing: String) throws -> [String] {
      let place = "plugins-\(missing)"
      try folder.createDirectory(atPath: bench.path(place), withIntermediateDirectories: true)
      for plugin in plugins where plugin != missing {
        let kind = Self.codecs.contains(plugin) ? "Codec" : "Transport"
        let file = "libSwiftlet\(kind)\(plugin).so"
        try folder.createSymbolicLink(
          at: bench.directory.appending(path: "\(place)/\(file)"),
          withDestinationURL: Workbench.products.appending(path: file))
      }
      let outcome = try bench.start(
        ["doctor", "--config", box.configuration, "--socket", bench.path("none")],
        environment: ["SWIFTLET_CODECS": bench.path(place), "SWIFTLET_TRANSPORTS": bench.path(place)]
      ).wait(seconds: 60)
      #expect(!outcome.output.contains("\u{1B}"))
      return outcome.output.split(separator: "\n").map { String($0) }
    }
    let whole = try doctor(without: "")
    #expect(!whole.contains { $0.contains("not installed") }, "\(whole)")
    #expect(
      whole.contains { $0.contains("ok       names: ") && $0.contains("plugins for all stored music") },
      "\(whole)")
    for (number, plugin) in plugins.enumerated() {
      let lines = try doctor(without: plugin)
      let isCodec = Self.codecs.contains(plugin)
      let found = lines.indices.filter { lines[$0].contains(" is not installed") }
      var owners = [
        "tag 04aabb0\(number): ", "alarm 07:0\(number): ", "playlist 'p\(number)': ", "the queue: ",
      ]
      if isCodec { owners.append("tag 05aabb0\(number): ") }
      #expect(found.count == owners.count, "\(plugin): \(lines)")
      for owner in owners {
        let place = found.first { lines[$0].contains(owner) }
        let noun = "the plugin for \(isCodec ? plugin : "streams") is not installed"
        let isNamed = place.map { lines[$0].contains(noun) && lines[$0 + 1].hasSuffix(Self.package(plugin)) }
        #expect(isNamed == true, "\(plugin), \(owner): \(lines)")
      }
    }
  }
}
