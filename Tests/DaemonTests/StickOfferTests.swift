// What a press of play plays when storage comes and goes: the queue, the offered stick, or nothing while it
// waits. Test threads.

import Platform
import PlaybackModel
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct StickOfferTests {
  /// Where the queue's music is stored, and whether that storage is still present.
  enum Queue: CaseIterable {
    case empty, onRoot, onPresentStick, onRemovedStick
    /// The track that plays is on a removed stick; another one is in the music folder.
    case partlyRemoved
  }
  /// The player's state when the storage was removed.
  enum Before: CaseIterable { case playing, paused, stopped, ended }
  enum Press: CaseIterable { case button, play, toggle }

  struct Case: CustomTestStringConvertible {
    let queue: Queue
    let before: Before
    let isOffered: Bool
    let press: Press
    var testDescription: String { "\(queue), \(before), offered: \(isOffered), \(press)" }
  }

  static let cases: [Case] = Queue.allCases.flatMap { queue in
    Before.allCases.flatMap { before in
      [true, false].flatMap { isOffered in
        Press.allCases.map { Case(queue: queue, before: before, isOffered: isOffered, press: $0) }
      }
    }
  }

  private let storage: SimulatedStorage = {
    let storage = Bench.storage("set media.removable /media\nset stop.fade 0\n")
    for path in ["/music/a", "/media/old/b", "/media/new/track"] {
      storage.tracks[path] = SimulatedTrack(seconds: 300, level: 0.5)
    }
    storage.tracks["/music/track"] = SimulatedTrack(seconds: 300, level: 0.5)
    storage.folders["/music"] = 1
    storage.folders["/media/new"] = 1
    return storage
  }()

  private func bench(_ test: Case) throws -> Bench {
    let bench = try Bench(storage)
    bench.machine.mounts.points = ["/media/old"]
    bench.clock.run(seconds: 1)
    let paths: [String] =
      switch test.queue {
      case .empty: []
      case .onRoot: ["/music/a"]
      case .onPresentStick, .onRemovedStick: ["/media/old/b"]
      case .partlyRemoved: ["/media/old/b", "/music/a"]
      }
    if !paths.isEmpty { _ = bench.ask("queue add " + paths.joined(separator: " ")) }
    switch test.before {
    case _ where paths.isEmpty: break
    case .playing: _ = bench.ask("play")
    case .paused:
      _ = bench.ask("play")
      _ = bench.ask("pause")
    case .stopped: _ = bench.ask("stop")
    case .ended:
      _ = bench.ask("play")
      _ = bench.ask("stop")
    }
    // A stick that the queue does not use is removed in any case, and its offer with it.
    if test.queue != .onPresentStick { goes(bench, "/media/old/b") }
    if test.isOffered {
      bench.machine.mounts.points += ["/media/new"]
      bench.clock.run(seconds: 1)
      #expect(bench.status("storage-offered") == "/media/new")
    }
    return bench
  }

  private func goes(_ bench: Bench, _ path: String) {
    bench.machine.mounts.points = []
    let track = storage.tracks.removeValue(forKey: path)
    bench.clock.run(seconds: 1)
    removed = track
  }
  private let box = Removed()
  private final class Removed { var track: SimulatedTrack? }
  private var removed: SimulatedTrack? {
    get { box.track }
    nonmutating set { box.track = newValue }
  }

  private func press(_ press: Press, _ bench: Bench) {
    switch press {
    case .button: bench.press(0)
    case .play: _ = bench.ask("play")
    case .toggle: _ = bench.ask("toggle")
    }
    bench.clock.run(seconds: 2)
  }

  /// One press is enough wherever the queue's music was; if nothing can play, the response names what the box
  /// waits for.
  @Test(arguments: cases) func aPressPlaysWhatThereIs(test: Case) throws {
    let bench = try bench(test)
    let isPlaying = bench.status("state") == "playing"
    // A toggle would pause the music.
    guard !isPlaying || test.press == .play else { return }
    press(test.press, bench)
    let path = bench.status("path")
    let state = bench.status("state")
    switch (test.queue, test.isOffered) {
    case (.empty, false): #expect(state == "playing" && path == "/music/track")
    case (.empty, true): #expect(state == "playing" && path == "/media/new/track")
    case (.onRoot, _): #expect(state == "playing" && path == "/music/a")
    case (.onPresentStick, _): #expect(state == "playing" && path == "/media/old/b")
    case (.onRemovedStick, true), (.partlyRemoved, true):
      #expect(state == "playing" && path == "/media/new/track")
      #expect(bench.status("storage-offered") == nil, "it is heard, and no offer any more")
    case (.partlyRemoved, false): #expect(state == "playing" && path == "/music/a")
    case (.onRemovedStick, false):
      #expect(state == "failed" && path == "/media/old/b")
      #expect(bench.ask("play").contains("ok waiting for the storage of /media/old/b"))
      storage.tracks["/media/old/b"] = removed
      bench.machine.mounts.points = ["/media/old"]
      bench.clock.run(seconds: 3)
      #expect(bench.status("state") == "playing" && bench.status("path") == "/media/old/b")
    }
  }

  /// An unmounted music folder is detected by the track that has failed.
  @Test(arguments: [true, false], Press.allCases)
  func aPressPlaysTheOfferInThePlaceOfAFolderThatIsAway(isOffered: Bool, press: Press) throws {
    let bench = try Bench(storage)
    storage.absentRoots = ["/music"]
    _ = bench.ask("queue add /music/a /music/track")
    _ = bench.ask("play")
    #expect(bench.status("state") == "failed")
    if isOffered {
      bench.machine.mounts.points = ["/media/new"]
      bench.clock.run(seconds: 1)
    }
    self.press(press, bench)
    if isOffered {
      #expect(bench.status("state") == "playing" && bench.status("path") == "/media/new/track")
    } else {
      #expect(
        bench.status("state") == "failed" && bench.status("path") == "/music/a", "it leads nowhere else")
      #expect(bench.ask("play").contains("ok waiting for the storage of /music/a"))
    }
    storage.absentRoots = []
    storage.folders["/music"]?.entries = [DirectoryEntry(name: "a", isDirectory: false)]
    bench.clock.run(seconds: 40)
    #expect(bench.status("path") == (isOffered ? "/media/new/track" : "/music/a"))
    #expect(bench.status("state") == "playing")
  }

  @Test(arguments: Queue.allCases) func anOfferIsPlayedByItsName(queue: Queue) throws {
    let bench = try bench(Case(queue: queue, before: .playing, isOffered: true, press: .play))
    #expect(bench.ask("play offered").hasPrefix("ok 1 track"))
    bench.clock.run(seconds: 2)
    #expect(bench.status("state") == "playing" && bench.status("path") == "/media/new/track")
    #expect(bench.status("storage-offered") == nil)
    #expect(bench.ask("play offered").contains("error: no stick is offered"))
  }

  /// The kernel's name of a stick is that of the one before it, and with it the mount point.
  @Test(arguments: Press.allCases, ["offer", "play"])
  func anotherStickInThePlaceOfTheFirstIsNoticed(press: Press, action: String) throws {
    storage.folders["/media/old"] = 0
    let bench = try Bench(storage, mounted: ["/media/old"])
    _ = bench.ask("set media.removable-action \(action)")
    _ = bench.ask("queue add /media/old/b")
    _ = bench.ask("play")
    #expect(bench.status("path") == "/media/old/b")
    goes(bench, "/media/old/b")
    #expect(bench.status("state") == "failed")
    storage.folders["/media/old"] = 1
    storage.tracks["/media/old/track"] = SimulatedTrack(seconds: 300, level: 0.5)
    bench.machine.mounts.points = ["/media/old"]
    bench.clock.run(seconds: 3)
    if action == "offer" {
      #expect(bench.status("storage-offered") == "/media/old")
      self.press(press, bench)
    }
    #expect(bench.status("state") == "playing" && bench.status("path") == "/media/old/track")
    #expect(bench.status("storage-offered") == nil)
  }

  /// A stick that is plugged in before power-on may be mounted before the daemon starts.
  @Test(arguments: Press.allCases, ["offer", "play"])
  func aStickThatIsThereAtTheStartIsOffered(press: Press, action: String) throws {
    storage.files["/etc/box.conf"]? += Array("set media.removable-action \(action)\n".utf8)
    let bench = try Bench(storage, mounted: ["/media/new"])
    bench.clock.run(seconds: 2)
    #expect(bench.status("storage-offered") == "/media/new" && bench.status("state") == "idle")
    self.press(press, bench)
    #expect(bench.status("state") == "playing" && bench.status("path") == "/media/new/track")
    #expect(bench.status("storage-offered") == nil)
    // Its music continues after a power cut, and it is no offer then.
    bench.clock.run(seconds: 70)
    bench.pullThePlug()
    let again = try Bench(storage, mounted: ["/media/new"])
    again.clock.run(seconds: 2)
    #expect(again.status("state") == "playing" && again.status("path") == "/media/new/track")
    #expect(again.status("storage-offered") == nil)
  }

  @Test(arguments: [
    "set media.removable-action ignore\n", "set media.removable off\n", "set media.root /music /media/new\n",
  ])
  func whatIsNoStickIsNotOfferedAtTheStart(lines: String) throws {
    storage.files["/etc/box.conf"]? += Array(lines.utf8)
    let bench = try Bench(storage, mounted: ["/media/new"])
    bench.clock.run(seconds: 2)
    #expect(bench.status("storage-offered") == nil)
  }

  /// Parental limits also apply to an offered stick.
  @Test func limitsHoldForAnOffer() throws {
    let bench = try bench(Case(queue: .onRemovedStick, before: .playing, isOffered: true, press: .play))
    _ = bench.ask("set limits.tags-only on")
    for line in ["play", "toggle", "play offered"] {
      #expect(bench.ask(line).contains("error: only tags choose"), "\(line)")
    }
    let actions = bench.status("actions")?.split(separator: " ") ?? []
    #expect(!actions.contains("play") && !actions.contains("toggle") && actions.contains("pause"))
  }
}
