// Attacks by commands and files: programs that ALSA would start, and killing a helper process by a signal.
// Test threads.

import ChildSupport
import Foundation
import Testing

@Suite struct ConfinementTests {
  private static func hostile(_ canary: String) -> [String] {
    [
      "file:'|touch \(canary)',raw", "file:FILE='|touch \(canary)',FORMAT=raw",
      "tee:null,'|touch \(canary)',raw",
      "plug:\"file:'|touch \(canary)',raw\"", "{ type file file '|touch \(canary)' slave.pcm null }",
      "file:\(canary),raw",
    ]
  }

  /// Through the command line, the hidden capture subcommand, and an existing configuration.
  @Test(arguments: 0..<6) func noDeviceNameStartsAProgram(number: Int) throws {
    let bench = try Workbench()
    let canary = bench.path("pwned")
    let name = Self.hostile(canary)[number]
    try bench.write(Coded.track(1, seconds: 2), as: "good.wav")
    let played = try bench.play(["--device", name], ["good.wav"])
    #expect(played.status == 3 && played.reports("aplay -L"), "\(played)")
    let captured = try bench.start(["capture", name, "44100:16:2", "\(getpid())"]).wait(seconds: 20)
    #expect(captured.status != 0)
    let quoted = "\"" + name.replacingOccurrences(of: "\"", with: "\\\"") + "\""
    let box = try BoxRig(
      ["set output.device \(quoted)", "source line alsa \(quoted)", "queue add good.wav"], bench: bench)
    // The default device, which is the test's card.
    #expect(box.logs("output.device", "aplay -L") && box.logs("arecord -L"))
    #expect(try box.fields()["output"]?.contains("ALSA") == true)
    #expect(try box.refusal(of: "set output.device \(quoted)").contains("aplay -L"))
    #expect(try box.refusal(of: "source line alsa \(quoted)").contains("arecord -L"))
    #expect(try box.refusal(of: "source line exec \"touch \(canary)\"").contains("configuration file only"))
    try box.tell("set pause.ramp 0.3")
    try box.tell("save")
    let saved = try String(contentsOfFile: box.configuration, encoding: .utf8)
    #expect(saved.contains("pause.ramp 0.3") && !saved.contains("exec"), "\(saved)")
    box.pullPlug()
    try box.restart()
    try box.tell("play good.wav")
    try box.hears { !$0.isEmpty }
    #expect(!FileManager.default.fileExists(atPath: canary))
  }

  private struct Helper {
    let words: String
    let ignored: UInt64
  }

  private static func helpers(of parent: Int32) -> [Helper] {
    var found: [Helper] = []
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] where Int(name) != nil {
      guard let status = try? String(contentsOfFile: "/proc/\(name)/status", encoding: .utf8),
        status.contains("\nPPid:\t\(parent)\n"),
        let words = FileManager.default.contents(atPath: "/proc/\(name)/cmdline"),
        let line = status.split(separator: "\n").first(where: { $0.hasPrefix("SigIgn:") }),
        let ignored = UInt64(line.dropFirst(8).trimmingCharacters(in: .whitespaces), radix: 16)
      else { continue }
      found.append(
        Helper(words: String(decoding: words.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self), ignored: ignored))
    }
    return found
  }

  static func freePort() -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(descriptor, $0, size)
        getsockname(descriptor, $0, &size)
      }
      return UInt16(bigEndian: $0.pointee.sin_port)
    }
  }

  static func connect(_ port: UInt16) -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    let isThere = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if isThere { return descriptor }
    close(descriptor)
    return nil
  }

  /// Connects to a port on which a daemon is about to listen. The caller closes the descriptor.
  static func client(_ bench: Workbench, at port: UInt16) throws -> Int32 {
    var connected: Int32?
    #expect(
      bench.waits {
        connected = connect(port); return connected != nil
      })
    return try #require(connected)
  }

  static func line(_ descriptor: Int32) -> String {
    var text: [UInt8] = []
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while text.last != 0x0A, poll(&wanted, 1, 20_000) == 1 {
      var byte: UInt8 = 0
      guard read(descriptor, &byte, 1) == 1 else { break }
      text.append(byte)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The daemon's log is a file that its helpers may not write; a helper that logs must survive this.
  @Test func strangersEndNoHelperAndKeepNoOwnerOut() throws {
    let bench = try Workbench()
    try bench.write(Coded.track(1, seconds: 60), as: "long.wav")
    let port = Self.freePort()
    let box = try BoxRig(["set mpd.listen 127.0.0.1:\(port)", "set mpd.password word"], bench: bench)
    try box.tell("play long.wav")
    let owner = try Self.client(bench, at: port)
    #expect(Self.line(owner).hasPrefix("OK MPD"))
    func ask(_ descriptor: Int32, _ text: String) -> String {
      _ = (text + "\n").withCString { Glibc.send(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
      return Self.line(descriptor)
    }
    #expect(ask(owner, "password word") == "OK\n")
    try box.hears { !$0.isEmpty }
    for helper in Self.helpers(of: box.daemon.identifier) {
      for signal in [SIGPIPE, SIGXFSZ] {
        #expect(helper.ignored & (1 << UInt64(signal - 1)) != 0, "\(signal): \(helper.words)")
      }
    }
    let kinds = Self.helpers(of: box.daemon.identifier).map(\.words)
    for kind in ["worker", "store", "serve mpd"] { #expect(kinds.contains { $0.contains(kind) }, "\(kinds)") }
    var strangers: [Int32] = []
    defer { for stranger in strangers + [owner] { close(stranger) } }
    for _ in 0..<130 { if let stranger = Self.connect(port) { strangers.append(stranger) } }
    #expect(strangers.count == 130)
    #expect(ask(owner, "ping") == "OK\n")
    let late = try #require(Self.connect(port))
    strangers.append(late)
    #expect(Self.line(late).hasPrefix("OK MPD") && ask(late, "password word") == "OK\n")
    #expect(box.logs("MPD server", "made room"))
    #expect(!box.daemon.errorsSoFar.contains("does not run"), "\(box.daemon.errorsSoFar)")
    #expect(ask(late, "password wrong") == "ACK [3@0] {password} incorrect password\n")
    #expect(box.logs("MPD server", "wrong password"))
  }
}
