// The daemon's settings, its configuration file, and its self-description. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct BoxSettingsTests {
  @Test func musicOfAnotherRootIsPlayedAtOnce() throws {
    let box = try BoxRig()
    let other = try Workbench()
    try other.write(Coded.track(1, seconds: 20), as: "1.wav")
    try box.tell("set media.root \(other.directory.path)")
    try box.tell("play 1.wav")
    try box.hears { $0.last.map { $0.positions.count > 20_000 } ?? false }
    #expect(try box.fields()["state"] == "playing")
  }

  @Test func settingsAreSavedAndTakenUpAgain() throws {
    let box = try BoxRig()
    try box.tell("set fade.length 3")
    try box.tell("set volume.maximum 70")
    #expect(try box.tell("show fade.length").contains { $0.contains("fade.length 3") })
    #expect(try box.tell("diff").contains { $0.contains("volume.maximum") })
    #expect(try box.fields()["volume"] == "70")
    #expect(try box.refusal(of: "set fade.lenght 3").contains("fade.length"))
    #expect(try box.refusal(of: "set fade.length 99").contains("15"))
    try box.tell("save")
    try box.tell("set fade.length 4")
    box.pullPlug()
    try box.restart()
    #expect(try box.tell("show fade.length").contains { $0.contains("fade.length 3") })
    #expect(try box.fields()["volume"] == "70")
    try box.tell("unset volume.maximum")
    try box.tell("volume 100")
    #expect(try box.fields()["volume"] == "100")
  }

  /// A command that cannot work fails when it is given.
  @Test func commandsThatCannotWorkAreErrors() throws {
    let box = try BoxRig(["led front sysfs no-such-led"])
    #expect(try box.refusal(of: "test leds").contains("no-such-led"))
    let taken = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(taken) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(taken, $0, size)
        _ = listen(taken, 1)
        getsockname(taken, $0, &size)
      }
      return UInt16(bigEndian: $0.pointee.sin_port)
    }
    let refusal = try box.refusal(of: "set mpd.listen 127.0.0.1:\(port)")
    #expect(refusal.contains("127.0.0.1:\(port)") && refusal.contains("in use"), "\(refusal)")
    #expect(try box.tell("show mpd.listen").contains { $0.contains("off") })
    // A port that refuses connections.
    _ = try? box.client.ask("play http://127.0.0.1:1/radio")
    try box.reaches("failed")
    #expect(try box.refusal(of: "wake").contains("Failed"))
  }

  @Test func aBrokenConfigurationPlaysAllTheSame() throws {
    let box = try BoxRig([
      "set fade.lenght 3", "set volume.maximum loud", "play \"unfinished", "\u{1}\u{2}\u{FFFD}",
      String(repeating: "x", count: 5000), "frobnicate",
    ])
    try box.tracks(1...1, seconds: 1)
    for line in 10...15 { #expect(box.logs("line \(line)"), "line \(line)") }
    try box.tell("play 1.wav")
    try box.hears { $0.first?.track == 1 }
  }

  @Test func commandsInTheConfigurationAreCarriedOut() throws {
    let bench = try Workbench()
    try bench.write(Coded.track(1, seconds: 5), as: "1.wav")
    let box = try BoxRig(["play nothing.wav", "play 1.wav"], bench: bench)
    try box.hears { $0.first?.track == 1 }
    #expect(box.logs("nothing.wav"))
  }

  @Test func historyLogAndStatsTellWhatHappened() throws {
    let box = try BoxRig()
    try box.tracks(1...1, seconds: 5)
    try box.tell("play 1.wav")
    try box.hears { $0.count == 1 }
    try box.tell("pause")
    try box.reaches("paused")
    #expect(try box.tell("history").contains { $0.contains("playing + pause -> paused") })
    #expect(try box.tell("log").contains { $0.contains("Ready") })
    let stats = try box.fields("stats")
    #expect(stats["xruns"] == "0" && stats["rejected"] == "0" && stats["failed-tracks"] == "0")
    // Storage is slow on a busy machine.
    let isRemembered = box.bench.waits {
      guard let fields = try? box.fields("stats"), let count = fields["checkpoints"] else { return false }
      return Int(count) ?? 0 > 0
    }
    #expect(isRemembered)
  }

  @Test func theSocketIsForItsOwnersOnlyAndNotTakenFromAnother() throws {
    let box = try BoxRig()
    let mode = try FileManager.default.attributesOfItem(atPath: box.socket)[.posixPermissions] as? Int
    #expect(mode == 0o660)
    let second = try box.bench.start(
      ["run", "--strict", "--config", box.configuration], environment: box.card.environment)
    let isTold = box.bench.waits { second.errorsSoFar.contains("No control socket") }
    #expect(isTold)
    kill(second.identifier, SIGTERM)
    #expect(second.wait(seconds: 20).status == 0)
    #expect(try box.session().ask("volume").last?.hasPrefix("ok") == true)
    box.pullPlug()
    // A killed daemon's socket file does not prevent a new start.
    try box.restart()
    try box.tell("status")
  }

  /// Each member of the group may connect; by default it is the daemon's own group.
  @Test(.enabled(if: geteuid() == 0, "only root may give a socket to another group"))
  func theSocketIsOfItsGroup() throws {
    let group = try #require(getgrnam("daemon")).pointee.gr_gid
    try #require(group != getegid())
    for (lines, owner) in [([], getegid()), (["set socket.group daemon"], group)] {
      let box = try BoxRig(lines)
      var status = stat()
      #expect(stat(box.socket, &status) == 0)
      #expect(
        status.st_gid == owner && status.st_uid == geteuid() && status.st_mode & 0o777 == 0o660, "\(lines)")
    }
  }

  @Test(arguments: ["shutdown", "TERM", "INT"]) func itEndsSoftlyAndGoesOnLater(how: String) throws {
    let box = try BoxRig(["set pause.ramp 0.2"])
    try box.tracks(1...1, seconds: 20)
    try box.tell("play 1.wav")
    try box.hears { $0.last.map { $0.positions.count > 20_000 } ?? false }
    switch how {
    case "shutdown": try box.tell("shutdown")
    case "TERM": kill(box.daemon.identifier, SIGTERM)
    default: kill(box.daemon.identifier, SIGINT)
    }
    let outcome = box.daemon.wait(seconds: 20)
    // The exit status makes systemd leave a daemon alone that was shut down.
    #expect(outcome.status == (how == "shutdown" ? 10 : 0) && !outcome.isCrash, "\(outcome)")
    #expect(!FileManager.default.fileExists(atPath: box.socket))
    // A ramp, not a cut: after the last frame at full volume the level only falls, over some time.
    let heard = box.card.floats
    let full = try #require(box.card.segments.last)
    let last = try #require(heard.lastIndex { $0 != 0 }) / 2
    #expect(last - full.end > 6000, "\(last - full.end) frames")
    try box.restart()
    try box.hears { $0.count > 1 }
    let next = try #require(box.card.segments.last)
    #expect(abs(next.positions.lowerBound - full.positions.upperBound) < 44_100, "\(full) \(next)")
    #expect(try box.fields()["state"] == "playing")
  }
}
