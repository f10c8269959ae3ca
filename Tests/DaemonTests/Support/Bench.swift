// A box on a simulated machine with a client at its control socket. Test threads.

import Daemon
import Platform

@testable import Simulator

/// A box and a client at its control socket.
final class Bench {
  let machine: SimulatedMachine
  private(set) var box: Box?
  private(set) var wire: ClientWire
  private var askedAt: UInt64

  init(
    _ storage: SimulatedStorage = Bench.storage(), pressed: Set<Int> = [], hasCard: Bool = true,
    hasSerialLine: Bool = false, refusedSockets: [String: Int32] = [:],
    library: (any MusicIndex)? = nil, flights: (any FlightStore)? = nil, isBeingUpdated: Bool = false,
    mounted: [String] = [], refusedGroups: [String: Int32] = [:]
  ) throws {
    machine = SimulatedMachine(storage)
    askedAt = machine.clock.now
    machine.devices.chip.pressed = pressed
    machine.hasCard = hasCard
    if !mounted.isEmpty { machine.mounts.points = mounted }
    machine.library = library
    machine.flights = flights
    machine.isBeingUpdated = isBeingUpdated
    machine.hasSerialLine = hasSerialLine
    machine.refusedSockets = refusedSockets
    machine.refusedGroups = refusedGroups
    var options = BoxOptions()
    options.configuration = "/etc/box.conf"
    options.isStrict = true
    options.starts = "/run/starts"
    options.socketOfUser = "/user/swiftlet-control"
    let box = try Box(options, on: machine)
    box.start()
    self.box = box
    wire = machine.listener.connect()
    // Time to load the stored state.
    machine.clock.run(seconds: 0.02)
  }

  static func storage(_ configuration: String = "") -> SimulatedStorage {
    let storage = SimulatedStorage()
    storage.write(
      "/etc/box.conf",
      """
      set media.root /music
      set checkpoint.path /state
      set cues.enabled off
      button play gpio gpiochip0 0
      bind play short toggle

      """ + configuration)
    storage.tracks = [
      "/music/short": SimulatedTrack(seconds: 30, level: 0.25),
      "/music/long": SimulatedTrack(seconds: 3600, level: 0.5),
    ]
    return storage
  }

  var clock: SimulatedScheduler { machine.clock }

  /// Types a line and returns what the box sends within a simulated second.
  func ask(_ line: String) -> String {
    // The box has closed a session that was idle for long.
    if clock.now > askedAt + 590_000_000_000 { wire = machine.listener.connect() }
    askedAt = clock.now
    wire.type(line)
    clock.run(seconds: 1)
    return wire.takeText()
  }

  /// A connection on which a `watch` command was given and acknowledged.
  func watcher(_ command: String) -> ClientWire {
    let wire = machine.listener.connect()
    wire.type(command)
    clock.run(seconds: 1)
    _ = wire.takeText()
    return wire
  }

  /// A field of `status` or of another command's response.
  func status(_ name: String, of command: String = "status") -> String? {
    for line in ask(command).split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1)
      if words.first == "\(name):" { return words.last.map { $0.trimmingCharacters } }
    }
    return nil
  }

  /// Presses the button on a line of the chip.
  func press(_ line: Int, seconds: Double = 0.1) {
    machine.devices.chip.set(line, isPressed: true)
    clock.run(seconds: seconds)
    machine.devices.chip.set(line, isPressed: false)
  }

  func pullThePlug() {
    box = nil
    clock.reset()
    machine.storage.cutPower()
  }
}

extension Substring {
  fileprivate var trimmingCharacters: String { String(drop { $0 == " " }) }
}
