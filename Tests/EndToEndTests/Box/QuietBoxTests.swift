// A box that only plays music, with all integrations off: its processes do not load the libraries of unused
// features and have no network socket. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct BoxQuietTests {
  /// Libraries of features that are off, and of codecs for files that do not play.
  private static let unwanted = [
    "libavahi", "libmosquitto", "libnfc", "libsqlite3", "libcurl", "libsoxr", "libFLAC", "libopus",
    "libvorbis", "libexpat",
    "libmpg123", "SwiftletTransport",
  ]

  @Test func whatIsOffIsNotLoadedAndNoSocketOfTheNetworkIsOpened() throws {
    let bench = try Workbench()
    let music = try bench.write(Coded.track(1, seconds: 60), as: "1.wav")
    let box = try BoxRig(bench: bench)
    try box.tell("play \(music)")
    let daemon = ProcessView(number: box.daemon.identifier)
    var others: [ProcessView] = []
    #expect(
      bench.waits {
        others = daemon.children
        return (try? box.fields("status"))?["state"] == "playing"
          && others.contains { $0.words.contains("worker") }
      })
    for process in [daemon] + others {
      let libraries = process.libraries
      // A look-up process has ended since the listing.
      if libraries.isEmpty, !process.words.contains("worker"), process.number != daemon.number { continue }
      #expect(libraries.contains("libseccomp") && Self.unwanted.filter { libraries.contains($0) } == [])
      #expect(process.networkSockets == [], "\(process.words)")
    }
    // The log must agree.
    let isLocked = daemon.status("VmLck").map { $0 != "0 kB" }
    #expect(isLocked == box.daemon.errorsSoFar.contains(", memory locked"))
    // The control, audio and ALSA threads; temporary workers may still be ending.
    #expect(bench.waits { daemon.threads == 3 })
    // The same check finds a socket once a feature is on.
    try box.tell("set mpd.listen 127.0.0.1:\(ConfinementTests.freePort())")
    #expect(bench.waits { daemon.children.contains { !$0.networkSockets.isEmpty } })
  }

  /// `swiftlet play` has an ALSA thread besides its own two; when it renders to a file, it has only its own.
  @Test func aPlayerHasFewThreads() throws {
    let bench = try Workbench()
    try bench.write(Coded.track(1, seconds: 60), as: "1.wav")
    let card = try VirtualCard()
    let player = try bench.start(
      ["play", "--device", card.deviceName, "1.wav"], environment: card.environment)
    #expect(bench.waits { ProcessView(number: player.identifier).threads == 3 })
    kill(player.identifier, SIGKILL)
    // The recording takes longer than the check.
    let recorder = try bench.start(["play", "--output", "out.wav"] + [String](repeating: "1.wav", count: 40))
    var counts: Set<Int> = []
    _ = bench.waits(seconds: 2) {
      if recorder.isRunning { counts.insert(ProcessView(number: recorder.identifier).threads) }
      return !recorder.isRunning
    }
    #expect(counts.subtracting([0]) == [1], "\(counts)")
  }
}
