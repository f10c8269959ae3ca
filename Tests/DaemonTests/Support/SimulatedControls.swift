// Simulated controls: one GPIO chip with buttons and lights, keyboards, LEDs, panels and readers. One thread.

import Controls
import Foundation
import Platform

@testable import Simulator

final class SimulatedControls: ControlDevices {
  let chip: SimulatedChip
  /// All reader processes, including those that have ended.
  private(set) var readers: [SimulatedReader] = []
  var readerFailure: Int32?
  /// Connected devices: keyboards and panels by path, LEDs by name.
  var keyboards: [String: SimulatedKeyboard] = [:]
  var panels: [String: SimulatedReader] = [:]
  var lights: [String: SimulatedLight] = [:]
  private let scheduler: SimulatedScheduler

  init(_ scheduler: SimulatedScheduler) {
    self.scheduler = scheduler
    chip = SimulatedChip(scheduler)
  }

  /// Number of reader processes that the box has started and not released.
  var runningReaders: Int { readers.filter { $0.isHeld }.count }

  func startReader(_ connection: NFCConnection) throws(SystemError) -> any ByteSource {
    if let readerFailure { throw SystemError("posix_spawn", on: "swiftlet", code: readerFailure) }
    let reader = SimulatedReader(SimulatedSource(scheduler))
    readers.append(reader)
    return SimulatedReader.Line(reader)
  }

  func openChip(_ name: String) throws(SystemError) -> any LineChip { chip }
  func inputPaths() -> [String] { keyboards.keys.sorted() }
  func openInput(_ path: String) throws(SystemError) -> any KeySource {
    guard let keyboard = keyboards[path] else { throw Self.missing }
    return keyboard
  }
  func resolved(_ path: String) -> String { path }
  func openPanel(_ panel: PanelDeclaration) throws(SystemError) -> any ByteSource {
    guard let line = panels[panel.path] else { throw Self.missing }
    return SimulatedReader.Line(line)
  }
  func openLight(_ name: String) throws(SystemError) -> any LightFolder {
    guard let light = lights[name] else { throw Self.missing }
    return light
  }
  func watch() throws(SystemError) -> any DeviceWatch { throw Self.missing }

  private static var missing: SystemError { SystemError("open", code: ENOENT) }
}

/// A keyboard with one key.
final class SimulatedKeyboard: KeySource {
  let name = "a keyboard"
  private let code: UInt16
  private let source: SimulatedSource
  private let scheduler: SimulatedScheduler
  private var isDown = false
  private var events: [TimedInputEvent] = []

  init(_ scheduler: SimulatedScheduler, code: UInt16) {
    self.scheduler = scheduler
    self.code = code
    source = SimulatedSource(scheduler)
  }

  var descriptor: Int32 { source.descriptor }
  func hasKey(_ code: UInt16) -> Bool { code == self.code }
  func hasAxis(_ code: UInt16) -> Bool { false }
  func grab() throws(SystemError) {}
  func pressed(among codes: [UInt16]) throws(SystemError) -> [UInt16] { isDown ? [code] : [] }

  func takeEvents() throws(SystemError) -> [TimedInputEvent] {
    source.clear()
    defer { events = [] }
    return events
  }

  func set(isDown: Bool) {
    self.isDown = isDown
    events.append(TimedInputEvent(.key(code, isDown: isDown), at: scheduler.now))
    source.signal()
  }
}

/// An LED that can only be switched.
final class SimulatedLight: LightFolder {
  private(set) var brightness = "0"

  func text(of file: String) throws(SystemError) -> String {
    switch file {
    case "trigger": return "[none]\n"
    case "max_brightness": return "255\n"
    case "brightness": return brightness + "\n"
    default: throw SystemError("open", on: file, code: ENOENT)
    }
  }

  func write(_ text: String, to file: String) throws(SystemError) {
    if file == "brightness" { brightness = text }
  }
}

/// A simulated reader process or panel, and its output.
final class SimulatedReader {
  fileprivate let source: SimulatedSource
  fileprivate var said: [UInt8] = []
  fileprivate var isDead = false
  fileprivate(set) var isHeld = true

  init(_ source: SimulatedSource) { self.source = source }

  func say(_ text: String) {
    said += Array(text.utf8)
    source.signal()
  }

  func die() {
    isDead = true
    source.signal()
  }

  /// The box's end of the connection.
  fileprivate final class Line: ByteSource {
    private let reader: SimulatedReader

    init(_ reader: SimulatedReader) { self.reader = reader }
    deinit { reader.isHeld = false }

    var descriptor: Int32 { reader.source.descriptor }

    func takeBytes() throws(SystemError) -> [UInt8] {
      let bytes = Array(reader.said.prefix(256))
      reader.said.removeFirst(bytes.count)
      if bytes.isEmpty, reader.isDead { throw SystemError("read", code: ENODEV) }
      if reader.said.isEmpty, !reader.isDead { reader.source.clear() }
      return bytes
    }
  }
}

/// A chip whose lines are pressed by number.
final class SimulatedChip: LineChip {
  let lineCount = 8
  var pressed: Set<Int> = []
  /// The lines that the box has set active.
  fileprivate(set) var lit: Set<Int> = []
  private unowned let scheduler: SimulatedScheduler
  private var requests: [SimulatedLines] = []

  init(_ scheduler: SimulatedScheduler) { self.scheduler = scheduler }

  func user(of offset: Int) -> String? { nil }

  func requestLines(_ configuration: GPIOConfiguration) throws(SystemError) -> any LineRequest {
    let lines = SimulatedLines(self, configuration, SimulatedSource(scheduler))
    requests.append(lines)
    return lines
  }

  func set(_ offset: Int, isPressed: Bool) {
    if isPressed { pressed.insert(offset) } else { pressed.remove(offset) }
    for lines in requests { lines.edge(offset, isPressed, at: scheduler.now) }
  }
}

final class SimulatedLines: LineRequest {
  private unowned let chip: SimulatedChip
  private let configuration: GPIOConfiguration
  private let source: SimulatedSource
  private var edges: [GPIOEvent] = []
  private var sequence: UInt32 = 0

  init(_ chip: SimulatedChip, _ configuration: GPIOConfiguration, _ source: SimulatedSource) {
    self.chip = chip
    self.configuration = configuration
    self.source = source
  }

  var descriptor: Int32 { source.descriptor }

  func edge(_ offset: Int, _ isActive: Bool, at time: UInt64) {
    guard configuration.lines.contains(where: { $0.offset == offset }) else { return }
    sequence += 1
    edges.append(GPIOEvent(offset: offset, isActive: isActive, time: time, sequence: sequence))
    source.signal()
  }

  func takeEvents() throws(SystemError) -> [GPIOEvent] {
    source.clear()
    defer { edges = [] }
    return edges
  }

  func levels() throws(SystemError) -> UInt64 {
    var levels: UInt64 = 0
    for (bit, line) in configuration.lines.enumerated() where chip.pressed.contains(line.offset) {
      levels |= 1 << UInt64(bit)
    }
    return levels
  }

  func set(_ levels: UInt64, mask: UInt64) throws(SystemError) {
    for (bit, line) in configuration.lines.enumerated() where mask >> UInt64(bit) & 1 == 1 {
      if levels >> UInt64(bit) & 1 == 1 { chip.lit.insert(line.offset) } else { chip.lit.remove(line.offset) }
    }
  }
}
