// Other objects at the paths of the box's own files are reported and left unchanged. Test threads.

import ChildSupport
import Foundation
import Testing

@Suite struct BoxStateFileTests {
  /// Objects that another program may have created at a file's path.
  enum Hindrance: String, CaseIterable, Sendable {
    case link, danglingLink, folder, pipe, socket, device

    /// Its name in error messages.
    var noun: String {
      switch self {
      case .link, .danglingLink: "symbolic link"
      case .folder: "folder"
      case .pipe, .socket: "pipe or a socket"
      case .device: "device"
      }
    }

    var type: mode_t {
      switch self {
      case .link, .danglingLink: S_IFLNK
      case .folder: S_IFDIR
      case .pipe: S_IFIFO
      case .socket: S_IFSOCK
      case .device: S_IFCHR
      }
    }

    /// Creates the object. Returns false if this user may not create one.
    func make(at path: String, target: String) -> Bool {
      switch self {
      case .link, .danglingLink: return symlink(target, path) == 0
      case .folder: return mkdir(path, 0o700) == 0
      case .pipe: return mkfifo(path, 0o600) == 0
      case .socket: return mknod(path, S_IFSOCK | 0o600, 0) == 0
      // /dev/null, which is harmless to read and to write.
      case .device: return mknod(path, S_IFCHR | 0o666, 0x103) == 0
      }
    }
  }

  /// All files that a box writes. The checkpoint itself is set aside, because without a checkpoint a box
  /// could not resume.
  private static let names = [
    "checkpoint.power-ons", "checkpoint.tags", "checkpoint.playlists", "checkpoint.alarms",
    "checkpoint.stickers",
    "checkpoint.bookmarks", "checkpoint.heard", "run/starts", "swiftlet.conf.bak", "library",
  ]

  private static func type(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  @Test(arguments: Hindrance.allCases) func whatIsNoFileIsNamedAndLeftAlone(hindrance: Hindrance) throws {
    let bench = try Workbench()
    let memory = "/dev/shm/swiftlet-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: memory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: memory) }
    try FileManager.default.createDirectory(atPath: bench.path("run"), withIntermediateDirectories: true)
    try bench.write(Coded.track(1, seconds: 20), as: "1.wav")
    let canary = bench.path("canary")
    if hindrance != .danglingLink { try bench.write(Data("precious".utf8), as: "canary") }
    let places = Self.names.map { bench.path($0) } + [memory + "/flight"]
    for place in places {
      guard hindrance.make(at: place, target: canary) else {
        try #require(hindrance == .device && getuid() != 0, "\(place): \(String(cString: strerror(errno)))")
        return
      }
    }
    let box = try BoxRig(
      ["set report.path \(memory)/flight", "set library.enabled on", "set limits.daily 600"], bench: bench,
      environment: ["RUNTIME_DIRECTORY": bench.path("run")])
    for command in [
      "queue add 1.wav", "tag 04aabbcc play 1.wav", "alarm 7:00 daily play 1.wav", "playlist save mine",
      "sticker set 1.wav rating 5",
    ] { _ = try? box.tell(command) }
    #expect(try box.refusal(of: "save").contains("swiftlet.conf.bak"))
    for place in places {
      let name = place.hasPrefix(memory) ? place : String(place.dropFirst(bench.path("").count))
      // 'save' reports it in its response.
      guard !name.hasSuffix(".bak") else { continue }
      // The index is opened at idle priority.
      let isNamed = bench.waits(seconds: name == "/library" ? 90 : 20) {
        box.daemon.errorsSoFar.split(separator: "\n").contains {
          $0.contains(name) && $0.contains(hindrance.noun)
        }
      }
      #expect(isNamed, "\(name) of \(hindrance): \(box.daemon.errorsSoFar)")
    }
    try box.tell("play 1.wav")
    try box.hears { $0.first?.track == 1 }
    box.pullPlug()
    for place in places { #expect(Self.type(place) == hindrance.type, "\(place)") }
    #expect(
      FileManager.default.contents(atPath: canary)
        == (hindrance == .danglingLink ? nil : Data("precious".utf8)))
  }

  /// A link at the checkpoint's path is moved aside, and its target is unchanged.
  @Test(arguments: Hindrance.allCases) func theCheckpointIsNeverWrittenThroughAnything(hindrance: Hindrance)
    throws
  {
    let bench = try Workbench()
    try bench.write(Coded.track(1, seconds: 20), as: "1.wav")
    let canary = bench.path("canary")
    if hindrance != .danglingLink { try bench.write(Data("precious".utf8), as: "canary") }
    guard hindrance.make(at: bench.path("checkpoint"), target: canary) else {
      return try #require(hindrance == .device && getuid() != 0)
    }
    let box = try BoxRig(bench: bench)
    try box.tell("play 1.wav")
    try box.hears { $0.first?.track == 1 }
    #expect(bench.waits { box.logs("checkpoint", hindrance.noun) }, "\(box.daemon.errorsSoFar)")
    box.pullPlug()
    #expect(Self.type(bench.path(hindrance == .device ? "checkpoint" : "checkpoint.bad")) == hindrance.type)
    #expect(
      FileManager.default.contents(atPath: canary)
        == (hindrance == .danglingLink ? nil : Data("precious".utf8)))
  }

  /// A configuration may be read through a link, which 'save' neither replaces nor follows.
  @Test func aLinkedConfigurationIsReadAndNotSaved() throws {
    let bench = try Workbench()
    try #require(symlink(bench.path("real.conf"), bench.path("swiftlet.conf")) == 0)
    let box = try BoxRig(["set fade.length 3"], bench: bench)
    #expect(try box.tell("show fade.length").contains { $0.contains("fade.length 3") })
    let before = FileManager.default.contents(atPath: bench.path("real.conf"))
    let refusal = try box.refusal(of: "save")
    #expect(
      refusal.contains("swiftlet.conf is a symbolic link") && refusal.contains("move it away"), "\(refusal)")
    #expect(FileManager.default.contents(atPath: bench.path("real.conf")) == before)
    #expect(Self.type(bench.path("swiftlet.conf")) == S_IFLNK)
  }
}
