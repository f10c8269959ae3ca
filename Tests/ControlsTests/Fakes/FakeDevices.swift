// Simulated chips, input devices, panels and lights that tests connect, press and unplug. Test threads.

import Controls
import Foundation
import Platform

/// An error with a kernel error code.
func failure(_ code: Int32) -> SystemError { SystemError("fake", on: "fake", code: code) }

/// A descriptor that is readable on request.
final class Bell {
  private let wakeUp = try! WakeUp()
  var descriptor: Int32 { wakeUp.descriptor }

  var rings = false {
    didSet { if rings { wakeUp.signal() } else { wakeUp.clear() } }
  }
}

/// The simulated devices.
final class FakeDevices: ControlDevices {
  var chips: [String: FakeChip] = [:]
  var inputs: [String: FakeKeys] = [:]
  var links: [String: String] = [:]
  var panels: [String: FakePanel] = [:]
  var lights: [String: FakeLight] = [:]
  var canWatch = true
  let watcher = FakeWatch()
  /// Number of attempts to open a device.
  private(set) var lookups = 0

  func openChip(_ name: String) throws(SystemError) -> any LineChip {
    lookups += 1
    guard let chip = chips[name] else { throw failure(ENOENT) }
    return chip
  }
  func inputPaths() -> [String] { inputs.keys.sorted() }
  func openInput(_ path: String) throws(SystemError) -> any KeySource {
    lookups += 1
    guard let keys = inputs[path] else { throw failure(ENOENT) }
    if let error = keys.openError { throw error }
    keys.isOpen = true
    return keys
  }
  func resolved(_ path: String) -> String { links[path] ?? path }
  func openPanel(_ panel: PanelDeclaration) throws(SystemError) -> any ByteSource {
    lookups += 1
    guard let panel = panels[panel.path] else { throw failure(ENOENT) }
    return panel
  }
  func openLight(_ name: String) throws(SystemError) -> any LightFolder {
    lookups += 1
    guard let light = lights[name] else { throw failure(ENOENT) }
    return light
  }
  func watch() throws(SystemError) -> any DeviceWatch {
    guard canWatch else { throw failure(EMFILE) }
    return watcher
  }
}

/// Reports new devices on request.
final class FakeWatch: DeviceWatch {
  let bell = Bell()
  private(set) var kinds: DeviceKinds = []
  var descriptor: Int32 { bell.descriptor }
  func follow(_ kinds: DeviceKinds) -> Bool {
    self.kinds = kinds
    return true
  }
  func takeChanges() -> Bool {
    bell.rings = false
    return true
  }
}

/// A GPIO chip with contacts.
final class FakeChip: LineChip {
  var lineCount = 32
  /// Other users of lines.
  var users: [Int: String] = [:]
  var refusesDebounce: Int32?
  var refusesBias: Int32?
  var refusesEverything: Int32?
  /// Whether edges are delivered out of order.
  var mixesUp = false
  /// The granted configurations, and the number of requests.
  private(set) var granted: [GPIOConfiguration] = []
  private(set) var tries = 0
  private(set) var requests: [FakeLines] = []
  /// The contacts that are high.
  fileprivate var high: Set<Int> = []

  func user(of offset: Int) -> String? { users[offset] }

  func requestLines(_ configuration: GPIOConfiguration) throws(SystemError) -> any LineRequest {
    tries += 1
    if let refusesEverything { throw failure(refusesEverything) }
    for line in configuration.lines {
      if users[line.offset] != nil { throw failure(EBUSY) }
      if let refusesDebounce, line.debounce > 0 { throw failure(refusesDebounce) }
      if let refusesBias, !line.flags.isDisjoint(with: [.pullUp, .pullDown, .noPull]) {
        throw failure(refusesBias)
      }
    }
    granted.append(configuration)
    let lines = FakeLines(self, configuration)
    requests.append(lines)
    return lines
  }

  /// Sets a contact; the owner of the line receives an edge, or loses it.
  func set(_ offset: Int, high isHigh: Bool, at time: UInt64 = MonotonicClock.now(), isLost: Bool = false) {
    if isHigh { high.insert(offset) } else { high.remove(offset) }
    for request in requests { request.edge(offset, time, isLost) }
  }

  /// Turns a knob on two lines by one detent, ending before `end`, 3 ms per step.
  func turn(a: Int, b: Int, right: Bool, before end: UInt64 = MonotonicClock.now(), losing: Set<Int> = []) {
    let (first, second) = right ? (a, b) : (b, a)
    let steps = [(first, false), (second, false), (first, true), (second, true)]
    for (index, step) in steps.enumerated() {
      set(
        step.0, high: step.1, at: end - 12_000_000 + UInt64(index) * 3_000_000, isLost: losing.contains(index)
      )
    }
  }

  /// Unplugs the chip.
  func die() {
    for request in requests { request.die() }
    requests = []
  }
}

/// Lines of a chip.
final class FakeLines: LineRequest {
  private let bell = Bell()
  private unowned let chip: FakeChip
  private let configuration: GPIOConfiguration
  private var queue: [GPIOEvent] = []
  private var sequence: UInt32 = 0
  private var isDead = false
  /// The levels set last.
  private(set) var outputs: UInt64 = 0
  /// How often levels were set.
  private(set) var sets = 0

  init(_ chip: FakeChip, _ configuration: GPIOConfiguration) {
    self.chip = chip
    self.configuration = configuration
  }

  var descriptor: Int32 { bell.descriptor }

  private func isActive(_ line: GPIOLineSettings) -> Bool {
    chip.high.contains(line.offset) != line.flags.contains(.activeLow)
  }

  fileprivate func edge(_ offset: Int, _ time: UInt64, _ isLost: Bool) {
    guard let line = configuration.lines.first(where: { $0.offset == offset }) else { return }
    sequence += 1
    guard !isLost else { return }
    queue.append(GPIOEvent(offset: offset, isActive: isActive(line), time: time, sequence: sequence))
    bell.rings = true
  }

  fileprivate func die() {
    isDead = true
    bell.rings = true
  }

  func takeEvents() throws(SystemError) -> [GPIOEvent] {
    if isDead { throw failure(ENODEV) }
    defer { queue = [] }
    bell.rings = false
    return chip.mixesUp ? queue.reversed() : queue
  }

  func levels() throws(SystemError) -> UInt64 {
    if isDead { throw failure(ENODEV) }
    var bits: UInt64 = 0
    for (index, line) in configuration.lines.enumerated() where isActive(line) { bits |= 1 << UInt64(index) }
    return bits
  }

  func set(_ levels: UInt64, mask: UInt64) throws(SystemError) {
    if isDead { throw failure(ENODEV) }
    outputs = outputs & ~mask | levels & mask
    sets += 1
  }

  /// The offsets of the lines driven active.
  var lit: [Int] {
    configuration.lines.enumerated().filter { outputs >> UInt64($0.offset) & 1 == 1 }
      .map { $0.element.offset }
  }
}

/// An input device.
final class FakeKeys: KeySource {
  let name: String
  let keys: Set<UInt16>
  let axes: Set<UInt16>
  var openError: SystemError?
  var isOpen = false
  private let bell = Bell()
  private var down: Set<UInt16> = []
  private var queue: [TimedInputEvent] = []
  private var isDead = false

  init(_ name: String, keys: Set<UInt16> = [], axes: Set<UInt16> = []) {
    self.name = name
    self.keys = keys
    self.axes = axes
  }

  var descriptor: Int32 { bell.descriptor }
  /// Whether the device is grabbed exclusively.
  private(set) var isGrabbed = false
  var grabError: SystemError?

  func grab() throws(SystemError) {
    if let grabError { throw grabError }
    isGrabbed = true
  }

  func hasKey(_ code: UInt16) -> Bool { keys.contains(code) }
  func hasAxis(_ code: UInt16) -> Bool { axes.contains(code) }

  func pressed(among codes: [UInt16]) throws(SystemError) -> [UInt16] {
    if isDead { throw failure(ENODEV) }
    return codes.filter { down.contains($0) }
  }

  func takeEvents() throws(SystemError) -> [TimedInputEvent] {
    if isDead { throw failure(ENODEV) }
    defer { queue = [] }
    bell.rings = false
    return queue
  }

  func key(_ code: UInt16, isDown: Bool, isLost: Bool = false) {
    if isDown { down.insert(code) } else { down.remove(code) }
    if !isLost { put(.key(code, isDown: isDown)) }
  }

  func put(_ event: InputEvent) {
    queue.append(TimedInputEvent(event, at: MonotonicClock.now()))
    bell.rings = true
  }

  func die() {
    isDead = true
    bell.rings = true
  }
}

/// A panel's serial line.
final class FakePanel: ByteSource {
  private let bell = Bell()
  private var queue: [[UInt8]] = []
  private var error: SystemError?

  var descriptor: Int32 { bell.descriptor }

  func takeBytes() throws(SystemError) -> [UInt8] {
    if !queue.isEmpty {
      bell.rings = queue.count > 1 || error != nil
      return queue.removeFirst()
    }
    if let error { throw error }
    return []
  }

  func put(_ text: String) {
    queue.append(Array(text.utf8))
    bell.rings = true
  }

  func die() {
    error = failure(EIO)
    bell.rings = true
  }
}
