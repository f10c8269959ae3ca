// 'swiftlet ctl' with a real daemon: commands of users, scripts and programs, and its exit status. Test
// threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct ControlClientTests {
  /// A box that plays a track.
  private func playing() throws -> BoxRig {
    let box = try BoxRig()
    try box.tracks(1...1, seconds: 40)
    try box.tell("play 1.wav")
    try box.hears { $0.count == 1 }
    return box
  }

  @Test func ctlReportsByItsStatus() throws {
    let box = try playing()
    func ctl(_ words: String...) throws -> Outcome {
      try box.bench.start(["ctl", "--socket", box.socket] + words).wait(seconds: 20)
    }
    #expect(try ctl("status").output.contains("playing"))
    #expect(try ctl("status").status == 0)
    #expect(try ctl("play", "no such thing.wav").status == 1)
    #expect(try ctl("pause").status == 0)
    try box.reaches("paused")
    #expect(try box.bench.start(["ctl", "--socket", "/nowhere", "status"]).wait(seconds: 20).status == 69)
  }

  /// On a board the daemon's socket belongs to a group that the user may not be a member of.
  @Test(.enabled(if: geteuid() == 0, "only root can be someone else")) func ctlSaysThatItMayNot() throws {
    let box = try playing()
    // A group that each Debian system has.
    try #require(chown(box.socket, uid_t.max, 29) == 0)
    let outcome = try Child(
      URL(filePath: "/usr/bin/setpriv"),
      [
        "--reuid=65534", "--regid=65534", "--clear-groups", Workbench.executable.path, "ctl", "--socket",
        box.socket, "status",
      ],
      in: box.bench.directory, environment: [:]
    ).wait(seconds: 20)
    #expect(outcome.status == 77 && outcome.errors.contains("usermod -aG audio $USER"), "\(outcome)")
  }

  @Test func ctlAnswersPrograms() throws {
    let box = try playing()
    func ctl(_ words: String...) throws -> Outcome {
      try box.bench.start(["ctl", "--socket", box.socket] + words).wait(seconds: 20)
    }
    let status = try ctl("--json", "status")
    #expect(status.status == 0 && status.output.hasPrefix(#"{"ok":true,"fields":{"state":"playing""#))
    let refused = try ctl("--json", "seek", "nowhere")
    #expect(refused.status == 1 && refused.output.hasPrefix(#"{"ok":false,"error":"#))
    // These commands have no final response and must not hang the client.
    #expect(try ctl("format", "json").status == 0)
    #expect(try ctl("watch", "off").status == 0)
    #expect(try ctl("").status == 64 && ctl("# nothing").status == 64)
    #expect(try ctl("--nonsense", "status").status == 64)
  }

  @Test func ctlGivesOneCommandOnly() throws {
    let box = try playing()
    for words in [
      ["play", "1.wav\nvolume 7"], ["volume 8\nvolume 7"], ["play", "1.wav\r"], ["play", "a\u{1B}[2J"],
    ] {
      let outcome = try box.bench.start(["ctl", "--socket", box.socket] + words).wait(seconds: 20)
      #expect(outcome.status == 64 && outcome.errors.contains("control character"), "\(outcome)")
    }
    #expect(try box.fields()["volume"] == "100")
    // The argument is one token, whatever it contains.
    let outcome = try box.bench.start(["ctl", "--socket", box.socket, "play", "none; 'such\" #thing"])
      .wait(seconds: 20)
    #expect(outcome.errors.contains("there is no 'none; 'such\" #thing'"))
  }

  @Test func ctlReadsCommands() throws {
    let box = try playing()
    try box.bench.write(
      Data("# a script\nvolume 30\n\nwatch volume\nvolume 31\nseek nowhere\nexit".utf8), as: "commands")
    let outcome = try box.bench.start(["ctl", "--socket", box.socket], input: "commands").wait(seconds: 20)
    #expect(outcome.status == 1, "a command was refused")
    #expect(outcome.output == "ok 30 %\nok\n* volume: 31 %\nok 31 %\nok bye\n", "\(outcome.output)")
    #expect(outcome.errors.contains("'nowhere' is not a position"))
  }

  @Test func ctlWaitsForAnEvent() throws {
    let box = try playing()
    let child = try box.bench.start(["ctl", "--socket", box.socket, "idle", "volume"])
    #expect(box.bench.waits { (try? box.fields("stats")["sessions"]) == "2" })
    try box.tell("volume 64")
    #expect(child.wait(seconds: 20).output == "  volume: 64 %\nok\n")
  }
}
