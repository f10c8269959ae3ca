// A configuration whose storage does not respond at startup or when it is saved: the box accepts commands and
// applies the file once it has been read. Test threads.

import Platform
import Testing

@testable import Daemon

@Suite struct LateConfigurationTests {
  private let storage = Bench.storage(
    "set volume.maximum 70\nset console.tty /dev/ttyS0\nbind play long \"sleep 30\"\n")

  /// A box that was playing the long track, restarted with a configuration that hangs.
  private func next() throws -> Bench {
    let first = try Bench(storage)
    _ = first.ask("play long")
    first.clock.run(seconds: 30)
    first.pullThePlug()
    storage.configurationHangs = true
    return try Bench(storage, hasSerialLine: true)
  }

  private func answer(_ bench: Bench) {
    storage.configurationHangs = false
    bench.clock.run(seconds: 2)
  }

  @Test func itTakesCommandsAndAdoptsWhatItLearns() throws {
    let bench = try next()
    #expect(bench.machine.logged.contains { $0.contains("Ready.") }, "at once")
    #expect(bench.status("state") == "idle")
    bench.clock.run(seconds: 1)
    #expect(bench.status("waiting-for-storage") == "/etc")
    #expect(bench.ask("show volume.maximum").contains("100"))
    #expect(bench.machine.serialLine == nil)
    answer(bench)
    #expect(bench.status("waiting-for-storage") == nil)
    #expect(bench.ask("show volume.maximum").contains("70"))
    #expect(bench.ask("controls").contains("sleep 30"))
    #expect(bench.machine.serialLine != nil)
    #expect(bench.status("state") == "playing" && bench.status("path") == "/music/long")
    bench.machine.devices.chip.set(0, isPressed: true)
    bench.clock.run(seconds: 0.1)
    bench.machine.devices.chip.set(0, isPressed: false)
    bench.clock.run(seconds: 1)
    #expect(bench.status("state") == "paused", "its buttons work")
  }

  @Test func itReplacesNothingThatItDoesNotKnow() throws {
    let bench = try next()
    let file = storage.files["/etc/box.conf"]
    _ = bench.ask("volume 3")
    #expect(bench.ask("save").contains("not known yet"))
    #expect(bench.ask("power-failing").contains("not known yet"))
    #expect(bench.ask("bookmarks").contains("not known yet"))
    bench.machine.terminate()
    bench.clock.run(seconds: 5)
    guard case .ended? = bench.box?.outcome else {
      Issue.record("it runs")
      return
    }
    storage.configurationHangs = false
    #expect(storage.files["/etc/box.conf"] == file && storage.files["/var/lib/swiftlet/checkpoint"] == nil)
    let last = try Bench(storage)
    last.clock.run(seconds: 1)
    #expect(last.status("state") == "playing" && last.status("volume") != "3")
  }

  /// Settings and playback that the user changes before the file has been read are kept.
  @Test func whatAPersonDoesMeanwhileStays() throws {
    let bench = try next()
    _ = bench.ask("set volume.maximum 40")
    _ = bench.ask("set media.root /music")
    _ = bench.ask("play short")
    #expect(bench.status("state") == "playing")
    answer(bench)
    #expect(bench.ask("show volume.maximum").contains("40"))
    #expect(bench.status("path") == "/music/short" && bench.status("state") == "playing")
    #expect(bench.machine.logged.contains { $0.contains("What was remembered came too late") })
  }

  @Test func aKnobThatWasTurnedMeanwhileStays() throws {
    let bench = try next()
    _ = bench.ask("volume 33")
    answer(bench)
    #expect(bench.status("state") == "playing" && bench.status("volume") == "33")
  }

  @Test func theVolumeIsTheOneThatIsRemembered() throws {
    storage.configurationHangs = false
    let first = try Bench(storage)
    _ = first.ask("volume 22")
    _ = first.ask("play long")
    first.clock.run(seconds: 5)
    first.pullThePlug()
    storage.configurationHangs = true
    let bench = try Bench(storage)
    bench.clock.run(seconds: 15)
    answer(bench)
    #expect(bench.status("volume") == "22" && bench.status("path") == "/music/long")
  }

  /// The file's commands run after the checkpoint is restored, and only if the user has not started something
  /// else.
  @Test(arguments: [false, true]) func theCommandsOfTheFileAreGiven(isBusy: Bool) throws {
    storage.files["/etc/box.conf"]? += Array("play short\n".utf8)
    storage.configurationHangs = true
    let bench = try Bench(storage)
    _ = bench.ask("set media.root /music")
    if isBusy { _ = bench.ask("play long") }
    bench.clock.run(seconds: 3)
    answer(bench)
    #expect(bench.status("path") == (isBusy ? "/music/long" : "/music/short"))
    #expect(bench.status("state") == "playing")
  }

  @Test func aPressOfPlayWaitsForIt() throws {
    let bench = try next()
    #expect(bench.ask("play").hasPrefix("ok"))
    #expect(bench.status("text") == "Waiting for music")
    answer(bench)
    #expect(bench.status("path") == "/music/long" && bench.status("state") == "playing")
  }

  @Test func memoryMayBeLateToo() throws {
    let bench = try next()
    storage.stateHangs = true
    answer(bench)
    bench.clock.run(seconds: 3)
    #expect(bench.ask("show volume.maximum").contains("70"))
    #expect(bench.status("state") == "idle")
    storage.stateHangs = false
    bench.clock.run(seconds: 1)
    #expect(bench.status("state") == "playing")
  }

  /// An output that the late file names replaces the open one, and playback continues on it.
  @Test func theOutputIsTheOneThatTheFileWants() throws {
    storage.files["/etc/box.conf"]? += Array("set output.rate 48000\n".utf8)
    let bench = try next()
    _ = bench.ask("set media.root /music")
    bench.clock.run(seconds: 1)
    _ = bench.ask("play short")
    bench.clock.run(seconds: 2)
    #expect(bench.machine.card?.rate.hertz == 44_100)
    answer(bench)
    bench.clock.run(seconds: 2)
    #expect(bench.machine.card?.rate.hertz == 48_000)
    #expect(bench.status("state") == "playing" && bench.status("path") == "/music/short")
  }

  /// Invalid lines of a late file are reported as usual.
  @Test func badLinesAreNamed() throws {
    storage.files["/etc/box.conf"]? += Array("set volume.maximum 900\n".utf8)
    let bench = try next()
    answer(bench)
    #expect(
      bench.machine.logged.contains { $0.contains("/etc/box.conf, line 9") && $0.contains("volume.maximum") },
      "\(bench.machine.logged)")
  }

  @Test func aFileThatCannotBeReadAfterAllIsNamed() throws {
    let bench = try next()
    storage.configurationFailure = 5
    answer(bench)
    #expect(bench.machine.logged.contains { $0.contains("No configuration") && $0.contains("/etc/box.conf") })
    #expect(!bench.ask("save").hasPrefix("ok"))
    #expect(storage.files["/etc/box.conf.bak"] == nil)
  }

  // MARK: Saving

  @Test func aSaveThatHangsIsAnsweredAndHoldsUpNothing() throws {
    let bench = try Bench(storage)
    _ = bench.ask("play long")
    _ = bench.ask("set fade.length 4")
    storage.configurationHangs = true
    let saver = bench.watcher("status")
    saver.type("save")
    bench.clock.run(seconds: 1)
    #expect(saver.takeText().isEmpty)
    #expect(bench.ask("pause").hasPrefix("ok") && bench.status("state") == "paused", "others are answered")
    bench.clock.run(seconds: 4)
    let said = saver.takeText()
    #expect(said.contains("error") && said.contains("does not answer"), "\(said)")
    #expect(bench.status("waiting-for-storage") == "/etc")
    #expect(storage.files["/etc/box.conf.bak"] == nil)
    storage.configurationHangs = false
    bench.clock.run(seconds: 2)
    #expect(bench.machine.logged.contains { $0.contains("written to /etc/box.conf at last") })
    #expect(
      storage.files["/etc/box.conf"].map { String(decoding: $0, as: UTF8.self) }?.contains("fade.length 4")
        == true)
    #expect(bench.status("waiting-for-storage") == nil)
    #expect(bench.ask("save").contains("written"))
  }

  /// A save just before shutdown is written, or abandoned after two seconds.
  @Test(arguments: [false, true]) func anEndWaitsForASaveButNotForEver(hangs: Bool) throws {
    let bench = try Bench(storage)
    _ = bench.ask("set fade.length 4")
    storage.configurationHangs = hangs
    bench.wire.type("save")
    bench.clock.run(seconds: 0.001)
    bench.machine.terminate()
    bench.clock.run(seconds: 4)
    guard case .ended? = bench.box?.outcome else {
      Issue.record("it runs")
      return
    }
    let text = storage.files["/etc/box.conf"].map { String(decoding: $0, as: UTF8.self) } ?? ""
    #expect(text.contains("fade.length 4") == !hangs)
  }
}
