// Service announcements: name conflicts, and a daemon that restarts. Test threads.

import Platform
import Testing

@testable import Integrations

/// A network with names that are already taken.
private final class MadeUpNetwork: ServiceRegistrar {
  var onEvent: (RegistrarEvent) -> Void = { _ in }
  var taken: [String] = []
  private(set) var connections = 0
  private(set) var announced: AnnouncedService?
  private var told: [RegistrarEvent] = []

  func connect() { connections += 1 }
  func close() { announced = nil }
  func withdraw() { announced = nil }
  func alternative(to name: String) -> String {
    let parts = name.split(separator: "#")
    return parts[0] + "#" + String((parts.count > 1 ? Int(parts[1]) ?? 0 : 1) + 1)
  }
  func announce(_ service: AnnouncedService) {
    let isTaken = taken.contains(service.name) || taken == ["*"]
    announced = isTaken ? nil : service
    told.append(isTaken ? .collision : .established)
  }

  /// Sends an event, and the events that result from it.
  func tell(_ event: RegistrarEvent) {
    told.append(event)
    while !told.isEmpty { onEvent(told.removeFirst()) }
  }
}

@Suite struct DiscoveryTests {
  private let network = MadeUpNetwork()
  private let clock: OfflineScheduler
  private let integration: DiscoveryIntegration
  private final class Notes { var last = "" }
  private let notes = Notes()

  init() throws {
    clock = OfflineScheduler(over: try EventLoop())
    integration = DiscoveryIntegration(
      network, AnnouncedService(name: "kitchen", type: "_mpd._tcp", port: 6600, isIPv4Only: true),
      scheduler: clock)
    integration.onStanding = { [notes] text, isTrouble in notes.last = (isTrouble ? "! " : "") + text }
    integration.start()
  }

  @Test func itIsAnnouncedWhenTheDaemonIsThere() {
    network.tell(.waiting)
    #expect(notes.last == "! waits for avahi-daemon, which does not run" && network.announced == nil)
    network.tell(.ready)
    #expect(network.announced?.name == "kitchen" && network.announced?.port == 6600)
    #expect(notes.last == "announces 'kitchen' as _mpd._tcp, port 6600")
    integration.end()
    #expect(network.announced == nil)
  }

  /// Another box with the same name, now or later; after a restart of the daemon the name may be free again.
  @Test func anotherNameIsFound() {
    network.taken = ["kitchen", "kitchen#2"]
    network.tell(.ready)
    #expect(notes.last == "announces 'kitchen#3' as _mpd._tcp, port 6600")
    network.taken = ["kitchen#3"]
    network.tell(.collision)
    #expect(network.announced?.name == "kitchen#4")
    network.taken = []
    network.tell(.settling)
    #expect(network.announced == nil)
    network.tell(.ready)
    #expect(network.announced?.name == "kitchen")
  }

  @Test func namesAreNotTriedWithoutEnd() {
    network.taken = ["*"]
    network.tell(.ready)
    #expect(notes.last == "! all of 100 names like 'kitchen' are taken" && network.announced == nil)
    network.taken = []
    clock.advance(to: 301_000_000_000)
    #expect(clock.fire())
    #expect(network.announced?.name == "kitchen")
  }

  @Test func aDaemonThatGoesIsLookedForAgain() {
    network.tell(.ready)
    network.tell(.lost("avahi-daemon: Daemon connection failed"))
    #expect(network.announced == nil && network.connections == 1)
    #expect(notes.last == "! nothing is announced: avahi-daemon: Daemon connection failed")
    clock.advance(to: 2_000_000_000)
    #expect(clock.fire())
    #expect(network.connections == 2)
    network.tell(.ready)
    #expect(network.announced?.name == "kitchen")
  }
}
