// The sandboxes of a box's running processes: privileges, limits and descriptors. Without seccomp in the
// kernel they read, connect and decode nothing. Test threads.

import CLinux
import ChildSupport
import Foundation
import Platform
import Testing
import VirtualCardSupport

/// Operations for which a box starts a sandboxed process.
enum ConfinedWork: String, CaseIterable, Sendable {
  case file, playlist, sheet, cue, announcement, stream, pipe, room, mpd, mqtt, reader

  /// Those that need no optional library.
  static let usual = allCases.filter { $0 != .mqtt && $0 != .reader }
  /// Those with a long-running process.
  static let lasting: [ConfinedWork] = [.file, .stream, .pipe, .room, .mpd]

  /// Whether an optional library is installed.
  static func has(_ library: String) -> Bool { dlopen(library, RTLD_NOW) != nil }
}

/// Detects reads of files (inotify(7)).
private final class ReadWatch {
  private let device: Int32

  init(_ paths: [String]) throws {
    device = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    for path in paths { try #require(inotify_add_watch(device, path, UInt32(IN_ACCESS)) >= 0) }
  }

  deinit { close(device) }

  /// Whether one of the files was read.
  func wasRead() -> Bool {
    var event = [UInt8](repeating: 0, count: 4096)
    return read(device, &event, event.count) > 0
  }
}

/// A process as shown by /proc.
struct ProcessView {
  let number: Int32

  private func text(_ name: String) -> String {
    // Files in /proc have no size and are read a page at a time.
    let file = open("/proc/\(number)/\(name)", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var (bytes, chunk): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 65_536))
    while case let count = read(file, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  var words: [String] { text("cmdline").split(separator: "\0").map { String($0) } }

  /// Its child processes.
  var children: [ProcessView] {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(number)/task")) ?? []
    return threads.flatMap { text("task/\($0)/children").split(separator: " ") }.compactMap { Int32($0) }
      .map { ProcessView(number: $0) }
  }

  /// A field of its status, such as `Seccomp`.
  func status(_ name: String) -> String? {
    text("status").split(separator: "\n").first { $0.hasPrefix(name + ":") }.map {
      $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
    }
  }

  /// A limit, such as `Max open files`.
  func limit(_ name: String) -> String? {
    let line = text("limits").split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return line?.dropFirst(name.count).split(separator: " ").first.map { String($0) }
  }

  /// The target of each descriptor, with its number.
  var descriptors: [String] {
    let folder = "/proc/\(number)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap { Int($0) }.sorted().map {
      "\($0) " + ((try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) ?? "gone")
    }
  }

  /// Its number of threads.
  var threads: Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(number)/task")) ?? []).count
  }

  /// Its memory mappings.
  var libraries: String { text("maps") }

  /// The owner of its files in /proc: root if the process is not dumpable.
  var owner: UInt32? {
    var status = stat()
    return stat("/proc/\(number)/status", &status) == 0 ? status.st_uid : nil
  }

  /// Its sockets that are not AF_UNIX.
  var networkSockets: [String] {
    let local = Set(
      text("net/unix").split(separator: "\n").compactMap { line in
        line.split(separator: " ").dropFirst(6).first.map { String($0) }
      })
    return descriptors.filter { entry in
      guard let start = entry.range(of: "socket:[") else { return false }
      return !local.contains(String(entry[start.upperBound...].dropLast()))
    }
  }
}

/// A box about to start a process for an operation, and the input of that process.
private final class SandboxRig {
  static let window = 262_144

  let bench: Workbench
  let work: ConfinedWork
  let box: BoxRig
  private let watch: ReadWatch
  private let listener: NetworkListener
  private let port: UInt16
  private let line: Pty
  private let pipe: Int32
  /// Connections to a server that never responds.
  private var connections: [any ByteChannel] = []

  init(_ work: ConfinedWork, hasSeccomp: Bool = true) throws {
    self.work = work
    let bench = try Workbench()
    self.bench = bench
    try bench.write(Coded.track(1, seconds: 60), as: "1.wav")
    try bench.write(Data("1.wav\n".utf8), as: "list.m3u")
    let sheet = "FILE \"1.wav\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 00:30:00\n"
    try bench.write(Data(sheet.utf8), as: "disc.cue")
    watch = try ReadWatch(["1.wav", "list.m3u", "disc.cue"].map { bench.path($0) })
    try #require(mkfifo(bench.path("fifo"), 0o600) == 0)
    pipe = open(bench.path("fifo"), O_RDWR | O_NONBLOCK | O_CLOEXEC)
    line = try Pty(at: bench.path("line"))
    listener = try NetworkListener(#require(NetworkAddress("127.0.0.1:0")))
    port = ConfinementTests.freePort()
    var lines = ["set library.enabled off", "set stream.spool \(Self.window)"]
    switch work {
    case .cue: lines += ["set cues.enabled on", "set cues.ready \(bench.path("1.wav"))"]
    case .pipe: lines.append("source line fifo \(bench.path("fifo"))")
    case .room: lines.append("source line snapcast 127.0.0.1:\(listener.port)")
    case .mpd: lines.append("set mpd.listen 127.0.0.1:\(port)")
    case .mqtt: lines += ["set mqtt.host 127.0.0.1", "set mqtt.port \(listener.port)"]
    case .reader: lines.append("reader shelf nfc pn532_uart:\(bench.path("line"))")
    default: break
    }
    var environment: [String: String] = [:]
    if !hasSeccomp { environment = try bench.environmentWithoutSeccomp() }
    box = try BoxRig(lines, bench: bench, environment: environment)
  }

  deinit { close(pipe) }

  /// Starts the process, unless the configuration does so. Returns the box's refusal, or an empty text.
  func begin() throws -> String {
    do {
      try order()
      return ""
    } catch let refused as BoxRig.Refused {
      return refused.answer
    }
  }

  private func order() throws {
    switch work {
    case .file: try box.tell("play 1.wav")
    case .playlist: try box.tell("play list.m3u")
    case .sheet: try box.tell("play disc.cue")
    case .announcement: try box.tell("announce 1.wav")
    case .stream: try box.tell("play http://127.0.0.1:\(listener.port)/1.wav")
    case .pipe: _ = write(pipe, [UInt8](repeating: 1, count: 1000), 1000)
    default: break
    }
  }

  /// The bytes left in the FIFO.
  private var waiting: Int32 {
    var count: Int32 = 0
    _ = ioctl(pipe, UInt(FIONREAD), &count)
    return count
  }

  /// The actions so far that the process may only take inside its sandbox.
  func deeds() throws -> [String] {
    var deeds: [String] = []
    if watch.wasRead() { deeds.append("a file was read") }
    if work == .pipe, waiting != 1000 { deeds.append("the FIFO was read") }
    line.take()
    if !line.text.isEmpty { deeds.append("the chip was spoken to") }
    while let connection = try listener.accept() {
      guard work == .room else {
        deeds.append("a server was connected to")
        continue
      }
      // The receiver connects first and sends its greeting.
      let heard = bench.waits(seconds: 5) { () -> Bool in
        do throws(SystemError) {
          guard let bytes = try connection.read(atMost: 100) else { return false }
          if !bytes.isEmpty { deeds.append("the server was spoken to") }
        } catch {}
        return true
      }
      #expect(heard, "the connection has not ended")
    }
    if work == .mpd, let client = ConfinementTests.connect(port) {
      if !ConfinementTests.line(client).isEmpty { deeds.append("a client was greeted") }
      close(client)
    }
    return deeds
  }

  /// The sandboxed process, once its sandbox is in force.
  func process(_ subcommand: String) throws -> ProcessView {
    var found: ProcessView?
    let isThere = try bench.waits {
      if let connection = try listener.accept() { connections.append(connection) }
      found = ProcessView(number: box.daemon.identifier).children.first {
        $0.words.dropFirst().first == subcommand && $0.status("Seccomp") == "2"
      }
      return found != nil
    }
    try #require(isThere, "\(box.daemon.errorsSoFar)")
    return try #require(found)
  }
}

extension Workbench {
  /// An environment in which no process has seccomp, nor do its children.
  func environmentWithoutSeccomp() throws -> [String: String] {
    let folder = directory.appending(path: "no-seccomp")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: "libseccomp.so.2"),
      withDestinationURL: Self.products.appending(path: "libSwiftletNoSeccomp.so"))
    let others = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"].map { ":" + $0 } ?? ""
    return ["LD_LIBRARY_PATH": folder.path + others]
  }
}

@Suite struct SandboxTests {
  /// A process and its expected restrictions.
  private struct Expectation {
    let subcommand: String
    /// Soft limits, by their names in /proc.
    var limits: [String: Int]
    /// Prefixes of its first descriptors' targets, and allowed targets of the others.
    let descriptors: [String]
    var others: [String] = []
  }

  private static let mebibyte = 1 << 20

  private func expectations(_ rig: SandboxRig) -> [Expectation] {
    let (null, file) = ("/dev/null", rig.bench.path("1.wav"))
    let network = ["socket:[", "anon_inode:", "pipe:["]
    let log = rig.bench.path("err-")
    func limits(_ memory: Int, files: Int, _ more: [String: Int] = [:]) -> [String: Int] {
      ["Max address space": memory, "Max open files": files, "Max processes": 0].merging(more) { $1 }
    }
    let usual = 256 * Self.mebibyte
    switch rig.work {
    case .file:
      // The CPU time limit covers a track of one minute, rounded up by a second.
      return [
        Expectation(
          subcommand: "worker", limits: limits(usual, files: 5, ["Max cpu time": 30 + 61]),
          descriptors: [null, null, null, "socket:[", file])
      ]
    case .stream:
      var fetcher = Expectation(
        subcommand: "fetch", limits: limits(384 * Self.mebibyte + SandboxRig.window, files: 32),
        descriptors: [null, null, null, "socket:[", "socket:["], others: network)
      // The resolver runs in a separate thread.
      fetcher.limits["Max processes"] = nil
      let worker = Expectation(
        subcommand: "worker", limits: limits(usual, files: 6),
        descriptors: [null, null, null, "socket:[", "/memfd:", "socket:["])
      return [fetcher, worker]
    case .pipe:
      return [
        Expectation(
          subcommand: "worker", limits: limits(usual, files: 5),
          descriptors: [null, null, null, "socket:[", rig.bench.path("fifo")])
      ]
    case .room:
      return [
        Expectation(
          subcommand: "room", limits: limits(usual, files: 4),
          descriptors: [null, "pipe:[", null, "socket:["]),
        Expectation(
          subcommand: "worker", limits: limits(usual, files: 5),
          descriptors: [null, null, null, "socket:[", "pipe:["]),
      ]
    case .mpd, .mqtt:
      return [
        Expectation(
          subcommand: "serve", limits: limits(usual, files: 256), descriptors: [null, "pipe:[", log],
          others: network)
      ]
    case .reader:
      return [
        Expectation(
          subcommand: "reader", limits: limits(usual, files: 7), descriptors: [null, "pipe:[", null],
          others: ["/dev/pts/", "pipe:["])
      ]
    case .playlist, .sheet, .cue, .announcement: return []
    }
  }

  private func isConfined(_ work: ConfinedWork) throws {
    let rig = try SandboxRig(work)
    #expect(try rig.begin() == "")
    let expectations = expectations(rig)
    #expect(!expectations.isEmpty)
    if work == .stream {
      // The fetcher has no codec loaded, and the decoder no network library.
      let (fetcher, worker) = (try rig.process("fetch").libraries, try rig.process("worker").libraries)
      #expect(
        fetcher.contains("SwiftletTransportHTTP") && !fetcher.contains("SwiftletCodec"),
        "\(fetcher.suffix(500))")
      #expect(
        worker.contains("SwiftletCodecPCM") && !worker.contains("SwiftletTransport")
          && !worker.contains("libcurl"))
    }
    for wanted in expectations {
      let process = try rig.process(wanted.subcommand)
      let name = process.words.joined(separator: " ")
      #expect(process.status("NoNewPrivs") == "1", "\(name)")
      if geteuid() != 0 { #expect(process.owner == 0, "\(name) is dumpable") }
      for (limit, value) in wanted.limits.merging(
        ["Max core file size": 0, "Max file size": 0], uniquingKeysWith: { $1 })
      {
        // A worker's CPU time limit is set once its track is known.
        var found: String?
        let isSo = rig.bench.waits(seconds: 5) {
          found = process.limit(limit)
          return found == "\(value)"
        }
        #expect(isSo, "\(name): \(limit) is \(found ?? "unknown"), not \(value)")
      }
      let open = process.descriptors
      let first = open.prefix(wanted.descriptors.count)
      let isAsWanted = first.enumerated().allSatisfy { $1.hasPrefix("\($0) " + wanted.descriptors[$0]) }
      #expect(first.count == wanted.descriptors.count && isAsWanted, "\(name): \(open)")
      for entry in open.dropFirst(wanted.descriptors.count) {
        let target = entry.drop { $0 != " " }.dropFirst()
        #expect(wanted.others.contains { target.hasPrefix($0) }, "\(name): \(open)")
      }
    }
  }

  /// On a kernel without seccomp nothing plays and nothing is read first, because the sandbox is set up
  /// before any input is opened.
  private func doesNothingWithoutSeccomp(_ work: ConfinedWork) throws {
    let rig = try SandboxRig(work, hasSeccomp: false)
    let refusal = try rig.begin()
    let words = work == .mpd || work == .mqtt ? "it ended with status 71" : "refuses to sandbox"
    if work == .reader {
      let isSaid = rig.bench.waits { (try? rig.box.tell("controls").joined())?.contains(words) == true }
      #expect(isSaid, "\(rig.box.daemon.errorsSoFar)")
    } else if !refusal.contains(words) {
      #expect(rig.box.logs(words), "\(work): \(rig.box.daemon.errorsSoFar)")
    }
    let deeds = try rig.deeds()
    #expect(deeds == [])
    // In place of the cue file the built-in cue plays.
    #expect(work == .cue || rig.box.card.floats.allSatisfy { $0 == 0 })
    // The same check detects the actions of a process with a sandbox.
    let other = try SandboxRig(work)
    #expect(try other.begin() == "")
    #expect(try other.bench.waits { try !other.deeds().isEmpty }, "\(work)")
  }

  @Test(arguments: ConfinedWork.lasting) func aProcessIsConfinedWhileItRuns(work: ConfinedWork) throws {
    try isConfined(work)
  }

  @Test(arguments: ConfinedWork.usual) func nothingIsReadWithoutSeccomp(work: ConfinedWork) throws {
    try doesNothingWithoutSeccomp(work)
  }

  @Test(.enabled(if: ConfinedWork.has("libmosquitto.so.1"), "needs libmosquitto: scripts/bootstrap --mqtt"))
  func soIsTheClientOfABroker() throws {
    try isConfined(.mqtt)
    try doesNothingWithoutSeccomp(.mqtt)
  }

  @Test(.enabled(if: ConfinedWork.has("libnfc.so.6"), "needs libnfc: scripts/bootstrap --nfc"))
  func soIsAReaderOfTags() throws {
    try isConfined(.reader)
    try doesNothingWithoutSeccomp(.reader)
  }

  /// The process is too short-lived to be inspected while it reads, so it is stopped where its sandbox takes
  /// effect.
  @Test func aPictureIsLookedForInASandboxAtIdlePriority() throws {
    let bench = try Workbench()
    let path = try bench.write(Coded.track(1, seconds: 1), as: "1.wav")
    let watch = try ReadWatch([path])
    let environment = try bench.environmentWithoutSeccomp().merging(["SWIFTLET_NO_SECCOMP": "hold"]) { $1 }
    let child = try bench.start(
      ["picture", "\(getpid())", "track", "1.wav", bench.directory.path], environment: environment)
    let process = ProcessView(number: child.identifier)
    #expect(bench.waits { process.status("State")?.hasPrefix("T") == true })
    #expect(
      process.limit("Max address space") == "\(256 * Self.mebibyte)" && process.limit("Max cpu time") == "5")
    #expect(process.limit("Max core file size") == "0" && process.limit("Max processes") == "0")
    #expect(process.status("NoNewPrivs") == "1")
    #expect(try process.isIdle(bench))
    kill(child.identifier, SIGCONT)
    let outcome = child.wait(seconds: 20)
    #expect(outcome.output.hasPrefix("refused\0its reader cannot be confined"), "\(outcome)")
    #expect(!watch.wasRead())
  }
}

extension ProcessView {
  /// Whether it has idle CPU and I/O priority.
  func isIdle(_ bench: Workbench) throws -> Bool {
    // The third field is the first one behind the name; the nineteenth is the nice value.
    let fields = text("stat").split(separator: ")").last?.split(separator: " ") ?? []
    let ionice = try Child(URL(filePath: "/usr/bin/ionice"), ["-p", "\(number)"], in: bench.directory)
    let priority = ionice.wait(seconds: 20).output
    return fields.count > 16 && fields[16] == "19" && priority.hasPrefix("idle")
  }
}
