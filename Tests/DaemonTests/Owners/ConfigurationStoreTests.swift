// The settings store and its file in isolation. Test threads.

import Console
import Testing

@testable import Daemon

@Suite struct ConfigurationStoreTests {
  private let machine: SimulatedMachine
  private let feed: EventFeed
  private let store: ConfigurationStore

  init() throws {
    machine = SimulatedMachine(Bench.storage("set fade.length 3\nplay short\nset volume.maximum 900\n"))
    feed = EventFeed(machine.clock)
    var options = BoxOptions()
    options.configuration = "/etc/box.conf"
    store = try ConfigurationStore(options, on: machine, feed: feed, log: Log(machine))
  }

  private func set(_ key: String, _ value: String) throws -> Reply {
    let setting = try #require(Setting(key: key))
    return store.change(setting) { (settings) throws(ConsoleError) in try settings.set(key, value) }
  }

  /// The response within a second.
  private func save(_ store: ConfigurationStore, _ controls: ControlTable) -> Reply? {
    var reply: Reply?
    store.save(controls) { reply = $0 }
    machine.clock.run(seconds: 1)
    return reply
  }

  @Test func theFileIsReadAndItsCommandsWait() {
    #expect(store.settings.fadeLength.value == 3)
    #expect(
      machine.logged.contains { $0.contains("line 8") && $0.contains("volume.maximum") }, "\(machine.logged)")
    #expect(store.takeCommand()?.command == .play(path: "short"))
    #expect(store.takeCommand() == nil)
  }

  @Test func everyChangeIsTold() throws {
    var told: [String] = []
    let subscription = feed.listen {
      if case .setting(let setting, let shown) = $0.event {
        told.append((setting?.key ?? "all") + " " + shown)
      }
    }
    #expect(try set("fade.length", "5") == .ok("set fade.length 5"))
    #expect(try !set("fade.length", "50").isOK)
    #expect(try set("console.pin", "4711").isOK)
    #expect(store.unsetAll().isOK)
    #expect(told == ["fade.length 5 s", "console.pin ****", "all "])
    withExtendedLifetime(subscription) {}
  }

  @Test func whatIsSavedIsReadAgain() throws {
    _ = try set("fade.length", "7.5")
    #expect(store.saved.fadeLength.value == 3)
    #expect(save(store, store.declaredControls) == .ok("written to /etc/box.conf"))
    #expect(store.saved.fadeLength.value == 7.5)
    var options = BoxOptions()
    options.configuration = "/etc/box.conf"
    let again = try ConfigurationStore(options, on: machine, feed: feed, log: Log(machine))
    #expect(again.settings == store.settings)
  }

  @Test func aSafeStartForgetsWhatTheFileWants() {
    store.startSafely()
    #expect(store.settings.fadeLength.value == 0 && store.settings.checkpointPath == nil)
    #expect(store.saved.fadeLength.value == 3, "the file's settings are still known")
    #expect(store.takeCommand() == nil)
  }

  @Test func withoutAFileNothingIsSaved() throws {
    let store = try ConfigurationStore(BoxOptions(), on: machine, feed: feed, log: Log(machine))
    #expect(save(store, ControlTable())?.isOK == false)
  }
}
