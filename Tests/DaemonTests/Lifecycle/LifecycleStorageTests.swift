// Whole boxes whose storage becomes slow, absent or corrupt in each phase of start and end. Test threads.

import Daemon
import Platform
import Testing

@testable import Simulator

/// A fault of a box's storage.
enum StorageFault: CaseIterable {
  /// It does not respond for three seconds.
  case slow
  /// The files are gone, as after a card was exchanged.
  case absent
  /// The files have other contents.
  case corrupt
}

@Suite struct LifecycleStorageTests {
  /// The phases during which storage can change. In the others nothing is left to do.
  static let phases = BoxPhase.Kind.allCases.filter { $0 != .ended && $0 != .failed }

  /// A storage whose box was playing the long track when its power was cut.
  private func storage() throws -> SimulatedStorage {
    let storage = Bench.storage("set bookmarks.minimum-length 20\n")
    let first = try Bench(storage)
    _ = first.ask("play long")
    first.clock.run(seconds: 30)
    first.pullThePlug()
    return storage
  }

  @Test(arguments: phases, StorageFault.allCases)
  func theBoxStartsAndEnds(phase: BoxPhase.Kind, fault: StorageFault) throws {
    let storage = try storage()
    let course = try FaultyCourse(storage, fault, in: phase)
    #expect(course.hasFault, "the phase was reached")
    let isLate = course.box.outcome == nil && !course.box.phase.isEnding
    if isLate {
      course.clock.run(seconds: 1)
      // A button at power-on is watched for 2 s.
      if phase == .checkingButton { course.clock.run(seconds: 2) }
      #expect(course.box.phase.acceptsCommands, "\(course.box.phase)")
      #expect(course.ask("status").contains("state: "))
      course.clock.run(seconds: 15)
      #expect(course.box.phase == .running)
      course.machine.terminate()
    }
    course.clock.run(seconds: 6)
    guard case .ended(byCommand: false)? = course.box.outcome else {
      Issue.record("it runs: \(course.box.phase)")
      return
    }
    #expect(course.machine.notices.readies == 1 && course.machine.notices.stops == 1)
    #expect(course.machine.logged.count { $0.contains("Ready.") } == 1)
    // Slow storage loses no state.
    guard fault == .slow else { return }
    course.clock.run(seconds: 5)
    let last = try Bench(storage)
    last.clock.run(seconds: 1)
    #expect(last.status("path") == "/music/long" && last.status("state") == "playing")
  }

  /// Music that the user starts while storage is late stays.
  @Test(arguments: [BoxPhase.Kind.waitingForConfiguration, .adoptingConfiguration, .waitingForState])
  func musicOfTheUserStays(phase: BoxPhase.Kind) throws {
    let course = try FaultyCourse(try storage(), .slow, in: phase)
    _ = course.ask("set media.root /music")
    _ = course.ask("play short")
    course.clock.run(seconds: 10)
    #expect(course.box.phase == .running)
    #expect(course.ask("status").contains(" /music/short\n"))
  }
}

/// A box whose storage becomes faulty in a phase.
private final class FaultyCourse {
  let machine: SimulatedMachine
  let box: Box
  private(set) var hasFault = false
  private let storage: SimulatedStorage
  private let fault: StorageFault
  private let wire: ClientWire

  /// Starts a box, and lets it run until it is in the phase and the fault has begun.
  init(_ storage: SimulatedStorage, _ fault: StorageFault, in phase: BoxPhase.Kind) throws {
    self.storage = storage
    self.fault = fault
    machine = SimulatedMachine(storage)
    switch phase {
    case .openingPlaceholder, .waitingForConfiguration, .adoptingConfiguration:
      storage.configurationHangs = true
    case .waitingForState: storage.stateHangs = true
    case .checkingButton: machine.devices.chip.pressed = [0]
    case .readingConfiguration, .openingOutput, .readingState, .running, .stopping, .saving, .fadingOut,
      .ended,
      .failed:
      break
    }
    var options = BoxOptions()
    options.configuration = "/etc/box.conf"
    options.isStrict = true
    let early = phase == .readingConfiguration
    if early { Self.begin(fault, storage, machine.clock) }
    box = try Box(options, on: machine)
    wire = machine.listener.connect()
    hasFault = early
    run(to: phase)
  }

  var clock: SimulatedScheduler { machine.clock }

  private func run(to phase: BoxPhase.Kind) {
    let strike = { [unowned self] in
      guard !hasFault, box.phase.kind == phase else { return }
      hasFault = true
      Self.begin(fault, storage, machine.clock)
    }
    machine.onOutput = strike
    machine.notices.onStopping = strike
    box.start()
    strike()
    if phase == .adoptingConfiguration {
      clock.run(seconds: 1)
      storage.configurationHangs = false
    }
    if phase == .stopping || phase == .saving || phase == .fadingOut {
      clock.run(seconds: 2)
      machine.terminate()
    }
    _ = clock.run { [unowned self] in
      strike()
      return hasFault || box.outcome != nil
    }
  }

  /// Types a line and returns what the box sends within a simulated second.
  func ask(_ line: String) -> String {
    wire.type(line)
    clock.run(seconds: 1)
    return wire.takeText()
  }

  private static func begin(
    _ fault: StorageFault, _ storage: SimulatedStorage, _ clock: SimulatedScheduler
  ) {
    let recover = {
      storage.stateHangs = false
      storage.configurationHangs = false
    }
    switch fault {
    case .slow:
      storage.stateHangs = true
      storage.configurationHangs = true
      _ = clock.after(3_000_000_000, recover)
    case .absent:
      for path in Array(storage.files.keys) { storage.remove(path) }
      storage.flashes = [:]
      recover()
    case .corrupt:
      for path in Array(storage.files.keys) { storage.files[path] = garbage(700) }
      for flash in storage.flashes.values {
        try? flash.write(garbage(flash.size), at: 0)
        try? flash.sync()
      }
      recover()
    }
  }

  /// Bytes that are no text of any kind, with line breaks.
  private static func garbage(_ count: Int) -> [UInt8] {
    (0..<count).map { $0 % 41 == 40 ? 10 : UInt8(truncatingIfNeeded: $0 * 151 + 77) }
  }
}
