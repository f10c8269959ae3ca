// The serial console and the control socket of a real daemon in normal use and under abuse, during playback.
// Test threads.

import ChildSupport
import Console
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct BoxConsoleTests {
  static let rate = 44100

  /// A box with a serial console that plays a track.
  private func playing(_ lines: [String] = [], seconds: Double = 40) throws -> (BoxRig, Pty) {
    let bench = try Workbench()
    let pty = try Pty(at: bench.path("tty"))
    let box = try BoxRig(["set console.tty \(bench.path("tty"))"] + lines, bench: bench)
    try box.tracks(1...1, seconds: seconds)
    try box.tell("play 1.wav")
    try box.hears { $0.count == 1 }
    return (box, pty)
  }

  /// Checks that the recording is one piece from the first frame.
  private func isWhole(_ box: BoxRig, more: Int = 10_000, sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    let so = box.card.recordedFrames
    try #require(box.card.wait(seconds: 20) { $0.recordedFrames > so + more }, sourceLocation: sourceLocation)
    let segments = box.card.segments
    #expect(
      segments.count == 1 && segments[0].positions.lowerBound == 0, "\(segments)",
      sourceLocation: sourceLocation)
    #expect(try box.fields("stats")["xruns"] == "0", sourceLocation: sourceLocation)
  }

  /// Repeats a command until its response appears: output is dropped if the terminal does not read it in
  /// time.
  private func answers(_ pty: Pty, _ command: String, _ answer: String) -> Bool {
    for _ in 0..<10 {
      pty.type(command)
      if pty.shows(answer, seconds: 5) { return true }
    }
    return false
  }

  @Test func aPersonOnTheSerialLineIsHeard() throws {
    let (box, pty) = try playing()
    #expect(pty.shows("swiftlet> "))
    pty.type("status")
    #expect(pty.shows("playing") && pty.shows("ok"))
    pty.type("pause")
    #expect(pty.shows("ok"))
    try box.fallsSilent()
    pty.type("seek 20")
    pty.type("play")
    try box.hears { $0.last.map { $0.positions.lowerBound > 20 * Self.rate - 1000 } ?? false }
    // Completion, the last line of the history, and an erased line.
    pty.send(Array("stat\t".utf8))
    #expect(pty.shows("stat"))
    pty.send(Array("\u{15}paus\u{03}".utf8))
    pty.type("nonsense")
    #expect(pty.shows("error:"))
  }

  @Test func noiseOnTheLineCostsNotAFrame() throws {
    let (box, pty) = try playing()
    var random = Noise(seed: 7)
    pty.send([UInt8](repeating: 0, count: 5000))
    pty.send([UInt8](repeating: 0x78, count: 50_000))
    pty.send(
      (0..<20_000).map { _ in
        // Noise without line ends, ^D, ^C and blanks, so that it forms no command.
        let byte = UInt8(truncatingIfNeeded: random.next() as UInt64)
        return byte == 0x0D || byte == 0x0A || byte == 0x04 ? 0xFF : byte
      })
    // A serial break arrives as NUL.
    pty.send([0, 0x03, 0x15, 0x0D])
    pty.forget()
    #expect(answers(pty, "status", "playing"))
    try isWhole(box)
  }

  @Test func tenThousandRandomLinesCostNotAFrame() throws {
    let (box, pty) = try playing()
    let client = try box.session()
    var random = Noise(seed: 99)
    for part in 0..<100 {
      var bytes: [UInt8] = []
      for _ in 0..<100 {
        // No command starts with 'z', and a line with '#' is a comment, so none of the lines is run.
        bytes.append(0x7A)
        for _ in 0..<Int.random(in: 0..<60, using: &random) {
          let byte = UInt8.random(in: 0...255, using: &random)
          // Line ends, and keys that would delete the 'z' or end the session.
          let isKept = ![
            0x0A, 0x0D, 0x04, 0x03, 0x15, 0x17, 0x7F, 0x08, 0x01, 0x02, 0x10, 0x0E, 0x1B, 0x0B, 0x19, 0x09,
            0x14,
          ].contains(byte)
          bytes.append(isKept ? byte : 0x21)
        }
        bytes.append(0x0A)
      }
      if part % 2 == 0 {
        pty.send(bytes)
      } else {
        client.send(bytes)
        for _ in 0..<100 where client.line() == nil { Issue.record("no answer") }
      }
    }
    pty.type("status")
    #expect(pty.shows("playing"))
    try isWhole(box)
  }

  /// Random typing: keywords, partial words, control characters, noise. Lines that would affect the sound are
  /// excluded, according to the editor and the interpreter.
  @Test func tenThousandLinesOfAnythingCostNotAFrame() throws {
    let (box, pty) = try playing(seconds: 80)
    let client = try box.session()
    let seed = UInt64(getpid())
    var random = Noise(seed: seed)
    var serial = HarmlessTyping(.dumb)
    var socket = HarmlessTyping(.plain)
    for part in 0..<100 {
      var bytes: [UInt8] = []
      for _ in 0..<100 {
        if part % 2 == 0 {
          bytes += serial.line(ending: 0x0D, &random)
        } else {
          bytes += socket.line(ending: 0x0A, &random)
        }
      }
      if part % 2 == 0 {
        pty.send(bytes)
      } else {
        client.send(bytes + Array("\nvolume\n".utf8))
        var line: String?
        repeat { line = client.line() } while line != nil && line != "ok 100 %"
        try #require(line != nil, "no answer; seed \(seed)")
      }
    }
    let understood = (serial.commands, socket.commands)
    #expect(understood.0 > 100 && understood.1 > 20, "\(understood); seed \(seed)")
    // A line may still be open, or the last output may be pending.
    pty.send([0x03, 0x03])
    pty.forget()
    #expect(answers(pty, "volume", "ok 100 %"), "seed \(seed)")
    try isWhole(box)
  }

  /// A serial line on which the first write fails, before the box has seen it.
  @Test(arguments: [1, 3]) func aGreetingThatFailsIsTriedAgain(times: Int32) throws {
    let bench = try Workbench()
    let faults = try Faults(bench)
    let pty = try Pty(at: bench.path("tty"))
    faults.failTTYWrites(times)
    let box = try BoxRig(["set console.tty \(bench.path("tty"))"], bench: bench, faults: faults)
    #expect(pty.shows("swiftlet> "))
    #expect(faults.failed == Int(times))
    pty.type("volume 70")
    #expect(pty.shows("ok 70 %"))
    #expect(try box.fields()["volume"] == "70")
  }

  /// A slow folder on a stick delays only the session that asked for it.
  @Test func slowStorageHoldsUpNobodyElse() throws {
    let bench = try Workbench()
    let faults = try Faults(bench)
    let folder = bench.directory.appendingPathComponent("Album")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for number in 1...2 { try bench.write(Coded.track(number, seconds: 20), as: "Album/\(number).wav") }
    let box = try BoxRig(bench: bench, faults: faults)
    faults.setFolderDelay(milliseconds: 3000)
    let begun = DispatchTime.now().uptimeNanoseconds
    let other = try box.session()
    other.send(Array("play Album\nqueue remove 2\nmedia Album\n".utf8))
    for n in 1...20 { try box.tell("volume \(60 + n)") }
    let time = Double(DispatchTime.now().uptimeNanoseconds - begun) / 1e9
    #expect(time < 3, "others were answered after \(time) s")
    #expect(other.line()?.hasPrefix("ok 2 tracks") == true)
    // Later commands of the session were run after it.
    #expect(other.line() == "ok removed 2.wav")
    #expect(Double(DispatchTime.now().uptimeNanoseconds - begun) / 1e9 > 3)
    #expect(other.line()?.hasSuffix("1.wav") == true)
    try box.tell("volume 100")
    try box.hears { $0.last?.track == 1 }
    faults.setFolderDelay(milliseconds: 0)
    #expect(try box.refusal(of: "play Nothing").contains("Nothing"))
  }

  @Test func aSessionThatStopsReadingStopsNothing() throws {
    let (box, pty) = try playing()
    let deaf = try box.session()
    deaf.send(Array("watch\n".utf8))
    let flags = fcntl(deaf.descriptor, F_GETFL)
    _ = fcntl(deaf.descriptor, F_SETFL, flags | O_NONBLOCK)
    let asks = Array(String(repeating: "help\nshow\n", count: 500).utf8)
    deaf.send(asks)
    // A serial line that is not read does not delay playback either.
    pty.send(Array(String(repeating: "help\r", count: 500).utf8), reads: false, seconds: 1)
    for _ in 0..<20 { #expect(try box.fields()["state"] == "playing") }
    try isWhole(box)
    let memory = try #require(Int(try box.fields("stats")["memory-kib"] ?? ""))
    #expect(memory < 100_000)
  }

  @Test func theLineMayVanishAndReturn() throws {
    let (box, pty) = try playing()
    #expect(pty.shows("swiftlet> "))
    for _ in 0..<2 {
      pty.send(Array("half a li".utf8))
      pty.unplug()
      let isGone = box.bench.waits { (try? box.fields("stats")["sessions"]) == "1" }
      #expect(isGone)
      try pty.plugIn(at: box.bench.path("tty"))
      #expect(pty.shows("swiftlet> "))
      pty.type("status")
      #expect(pty.shows("playing"))
    }
    try isWhole(box)
  }

  @Test func aPINIsWantedAfterEveryReturn() throws {
    let (box, pty) = try playing(["set console.pin 4711"])
    for _ in 0..<2 {
      #expect(pty.shows("swiftlet> "))
      pty.type("pause")
      #expect(pty.shows("locked"))
      pty.type("pin 1234")
      #expect(pty.shows("wrong PIN"))
      pty.type("pin 4711")
      #expect(pty.shows("unlocked"))
      pty.type("status")
      #expect(pty.shows("playing"))
      pty.unplug()
      try pty.plugIn(at: box.bench.path("tty"))
    }
    #expect(pty.shows("swiftlet> "))
    for _ in 0..<3 {
      pty.type("pin 1111")
      #expect(pty.shows("wrong PIN"))
    }
    pty.type("pin 4711")
    #expect(pty.shows("wait"))
    try isWhole(box)
  }

  @Test func thereAreOnlySoManySessions() throws {
    let box = try BoxRig()
    var others: [ControlClient] = []
    for _ in 0..<15 { others.append(try box.session()) }
    for other in others { #expect(try other.ask("volume").last?.hasPrefix("ok") == true) }
    #expect(try box.fields("stats")["sessions"] == "16")
    // The longest idle session is closed.
    let oneMore = try box.session()
    #expect(try oneMore.ask("volume").last == "ok 100 %")
    #expect(others[0].line() == nil && others[0].isClosed)
    #expect(try others[1].ask("volume").last == "ok 100 %")
    others.removeAll()
    let isFree = box.bench.waits { (try? box.fields("stats")["sessions"]) == "2" }
    #expect(isFree)
  }

  @Test func watchShowsWhatIsHeardAndStops() throws {
    let (box, _) = try playing()
    let watcher = try box.session()
    #expect(try watcher.ask("watch on") == ["ok"])
    for _ in 0..<3 { #expect(watcher.line()?.hasPrefix("* ") == true) }
    try box.tell("volume 33")
    var line: String?
    repeat { line = watcher.line() } while line != nil && line?.contains("volume 33 %") == false
    #expect(line != nil)
    try box.tell("pause")
    repeat { line = watcher.line() } while line != nil && line?.contains("Paused") == false
    #expect(line != nil)
  }

  @Test func answersForPrograms() throws {
    let (box, _) = try playing()
    let program = try box.session()
    func object(_ command: String) throws -> [String: Any] {
      let line = try #require(try program.ask(command).last)
      return try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }
    #expect(try object("format json")["ok"] as? Bool == true)
    let status = try object("status")
    #expect((status["fields"] as? [String: Any])?["state"] as? String == "playing")
    #expect(try object("nonsense")["ok"] as? Bool == false)
    for command in ["history", "log", "stats", "show", "diff", "queue", "media", "help"] {
      #expect(try object(command)["ok"] as? Bool == true, "\(command)")
    }
  }
}
