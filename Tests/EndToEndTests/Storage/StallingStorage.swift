// A mounted FUSE file system that stalls, fails and vanishes on request: Tests/StallingStorage, a separate
// process. Test threads.

import ChildSupport
import Foundation
import Testing

/// Storage that contains the files of a folder.
final class StallingStorage {
  /// How it responds.
  enum Mood: String {
    case stalling = "stall"
    case answering = "go"
    case failing = "fail"
  }

  struct Figures {
    var requests: Int
    /// Number of `fdatasync` calls.
    var syncs: Int
    /// Number of pending requests.
    var waiting: Int
  }

  struct Unheard: Error {
    let word: String
    let state: String
  }

  /// Whether such storage is available: it needs /dev/fuse and the right to mount. scripts/test-storage
  /// requires both.
  static let isAvailable: Bool = {
    let isThere = geteuid() == 0 && access("/dev/fuse", R_OK | W_OK) == 0
    if !isThere {
      let note = "NOT TRIED: storage that hangs needs /dev/fuse and root, and this machine grants them not."
      FileHandle.standardError.write(Data("\n\n\(note)\n\n".utf8))
    }
    return isThere || ProcessInfo.processInfo.environment["SWIFTLET_STALLS"] != nil
  }()

  /// The folder with its actual files.
  let backing: String
  /// Where it is mounted.
  let mountpoint: String
  private(set) var process: Child?
  private let bench: Workbench
  private let pipe: Int32
  private let pipePath: String
  private var orders = 0

  /// Mounts an empty one.
  init(_ bench: Workbench, name: String = "slow") throws {
    self.bench = bench
    backing = bench.path(name + "-files")
    mountpoint = bench.path(name)
    pipePath = bench.path(name + "-orders")
    for folder in [backing, mountpoint] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    try #require(mkfifo(pipePath, 0o600) == 0)
    pipe = open(pipePath, O_RDWR | O_CLOEXEC)
    try mount()
  }

  deinit {
    if process != nil { _ = try? vanish() }
    umount2(mountpoint, Int32(MNT_DETACH))
    close(pipe)
  }

  /// Mounts it again after `vanish`, responding.
  func mount() throws {
    let child = try Child(
      Workbench.products.appendingPathComponent("StallingStorage"), [backing, mountpoint],
      in: bench.directory, input: URL(fileURLWithPath: pipePath))
    process = child
    let isReady = bench.waits { child.outputSoFar.contains("ready\n") || !child.isRunning }
    try #require(isReady && child.isRunning, "\(child.errorsSoFar)")
  }

  /// Sets how it responds from now on.
  func set(_ mood: Mood) throws { _ = try order(mood.rawValue) }

  /// Unmounts it, like a stick that is pulled out.
  func vanish() throws {
    _ = try order("vanish")
    _ = process?.wait(seconds: 20)
    process = nil
  }

  /// Its request counts so far.
  func figures() throws -> Figures {
    let numbers = try order("count").split(separator: " ").compactMap { Int($0) }
    try #require(numbers.count == 3)
    return Figures(requests: numbers[0], syncs: numbers[1], waiting: numbers[2])
  }

  /// Sends a request to the process and returns the response. Both are numbered, because the file may be read
  /// while a line is half written.
  private func order(_ word: String) throws -> String {
    let child = try #require(process)
    orders += 1
    let bytes = Array("\(orders) \(word)\n".utf8)
    let mark = "\n\(orders) "
    var answer: Substring?
    let isHeard =
      write(pipe, bytes, bytes.count) == bytes.count
      && bench.waits {
        let output = child.outputSoFar
        guard let start = output.range(of: mark)?.upperBound else { return false }
        guard let end = output[start...].firstIndex(of: "\n") else { return false }
        answer = output[start..<end]
        return true
      }
    guard isHeard, let answer else {
      let said = child.outputSoFar.suffix(100) + child.errorsSoFar.suffix(500)
      let doing = (try? String(contentsOfFile: "/proc/\(child.identifier)/stack", encoding: .utf8)) ?? ""
      throw Unheard(word: word, state: "\(child.isRunning ? "runs" : "has ended"): \(said) \(doing)")
    }
    return String(answer)
  }
}
