// Music on storage that is missing at power-on, and paths that are not music: what is kept and what is
// skipped at once. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime, .enabled(if: StallingStorage.isAvailable)) struct AbsentStickTests {
  private static let rate = 44100
  private let stick: StallingStorage
  private let box: BoxRig
  /// The position at which the third track was interrupted.
  private let place: Int

  /// A box that was playing the third track on the stick beyond 2.5 s when power and stick were removed.
  init() throws {
    let bench = try Workbench()
    try FileManager.default.createDirectory(atPath: bench.path("media"), withIntermediateDirectories: true)
    stick = try StallingStorage(bench, name: "media/stick")
    for number in 1...3 {
      try bench.write(Coded.track(number, seconds: 60), as: "media/stick-files/\(number).wav")
    }
    box = try BoxRig(["set media.removable \(bench.path("media"))"], bench: bench)
    try box.tell("queue add \(stick.mountpoint)/1.wav \(stick.mountpoint)/2.wav \(stick.mountpoint)/3.wav")
    try box.tell("play")
    try box.tell("queue jump 3")
    try box.hears { $0.last.map { $0.track == 3 && $0.positions.upperBound > Self.rate * 5 / 2 } ?? false }
    try box.tell("power-failing")
    box.pullPlug()
    place = try #require(box.card.segments.last?.positions.upperBound)
    try stick.vanish()
  }

  /// Waits until the third track resumes at its position.
  private func hearsItAgain(after count: Int) throws {
    try box.hears(seconds: 40) { segments in
      segments.dropFirst(count).contains {
        $0.track == 3 && $0.positions.lowerBound > place - Self.rate
          && $0.positions.lowerBound < place + Self.rate
      }
    }
    #expect(try box.fields()["queue"] == "3" && box.fields()["queue-position"] == "3")
  }

  @Test func theTrackGoesOnWhenTheStickIsBack() throws {
    let count = box.card.segments.count
    try box.restart()
    try box.reaches("failed")
    #expect(try box.fields()["queue"] == "3")
    try stick.mount()
    try hearsItAgain(after: count)
  }

  @Test func anotherPowerOnWithoutItLosesNothing() throws {
    let count = box.card.segments.count
    for _ in 0..<2 {
      try box.restart()
      try box.reaches("failed")
      try box.tell("power-failing")
      box.pullPlug()
    }
    try stick.mount()
    try box.restart()
    try hearsItAgain(after: count)
  }

  /// Other music that the user plays replaces it.
  @Test func aPersonMayReplaceIt() throws {
    try box.tracks(1...1, seconds: 60)
    try box.restart()
    try box.reaches("failed")
    try box.tell("play 1.wav")
    try box.hears { $0.last?.track == 1 }
    try stick.mount()
    #expect(box.logs("has appeared"))
    #expect(try box.fields()["queue"] == "1" && box.fields()["state"] == "playing")
  }
}

/// The music folder itself is a disk or a share, not a stick.
@Suite(.realTime, .enabled(if: StallingStorage.isAvailable)) struct AbsentDiskTests {
  private let disk: StallingStorage
  private let box: BoxRig

  /// A box that was playing the second track on the disk when power and disk were removed.
  init() throws {
    let bench = try Workbench()
    disk = try StallingStorage(bench, name: "music")
    for number in 1...3 {
      try bench.write(Coded.track(number, seconds: 60), as: "music-files/\(number).wav")
    }
    box = try BoxRig(["set media.root \(disk.mountpoint)"], bench: bench)
    try box.tell("play")
    try box.tell("queue jump 2")
    try box.hears { $0.last.map { $0.track == 2 && $0.positions.upperBound > 44100 } ?? false }
    try box.tell("power-failing")
    box.pullPlug()
    try disk.vanish()
  }

  private func hearsItAgain(after count: Int) throws {
    try box.hears(seconds: 60) { $0.dropFirst(count).contains { $0.track == 2 } }
    #expect(try box.fields()["queue"] == "3" && box.fields()["queue-position"] == "2")
  }

  @Test func theMusicContinuesWhenTheDiskIsMounted() throws {
    let count = box.card.segments.count
    for _ in 0..<2 {
      try box.restart()
      try box.reaches("failed")
      #expect(box.logs("\(disk.mountpoint) is away"))
      #expect(try box.fields()["light"] == "amber 11 flashes" && box.fields()["queue"] == "3")
      try box.tell("power-failing")
      box.pullPlug()
    }
    try box.restart()
    try box.reaches("failed")
    try disk.mount()
    try hearsItAgain(after: count)
  }

  /// The folder returns without a mount event.
  @Test func theMusicContinuesWhenTheFolderIsThere() throws {
    let count = box.card.segments.count
    try FileManager.default.removeItem(atPath: disk.mountpoint)
    try box.restart()
    try box.reaches("failed")
    try FileManager.default.copyItem(atPath: disk.backing, toPath: disk.mountpoint)
    try hearsItAgain(after: count)
  }
}

@Suite(.realTime) struct NoMusicTests {
  /// A device, a folder and a link that leads out of the music folders are skipped at once.
  @Test func whatIsNoFileOfMusicIsPassedOverAtOnce() throws {
    let bench = try Workbench()
    let music = bench.path("music")
    try FileManager.default.createDirectory(atPath: music + "/folder.wav", withIntermediateDirectories: true)
    try #require(mkfifo(music + "/pipe.wav", 0o600) == 0)
    try bench.write(Coded.track(2, seconds: 60), as: "outside.wav")
    try #require(symlink(bench.path("outside.wav"), music + "/link.wav") == 0)
    try bench.write(Coded.track(1, seconds: 60), as: "music/1.wav")
    try bench.write(Data("folder.wav\npipe.wav\nlink.wav\n1.wav\n".utf8), as: "music/list.m3u")
    let box = try BoxRig(["set media.root \(music)"], bench: bench)
    let begun = ContinuousClock.now
    try box.tell("play list.m3u")
    try box.hears { $0.last?.track == 1 }
    #expect(ContinuousClock.now - begun < .seconds(5), "none of them was waited for")
    let log = box.daemon.errorsSoFar.split(separator: "\n")
    for name in ["folder.wav", "pipe.wav", "link.wav"] {
      #expect(log.filter { $0.contains(name) }.count == 1, "\(name): \(box.daemon.errorsSoFar)")
    }
  }
}
