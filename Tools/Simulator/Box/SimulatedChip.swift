// Simulated GPIO chip with the buttons, knob and LED of a box's configuration. One thread.

import Controls
import Foundation
import Platform

/// Electrical state of the contacts and the LED; survives loss of power.
final class Contacts {
  /// Bit mask of the lines that are active.
  var levels: UInt64 = 0
  /// Lines whose button is held, even if the contact still bounces.
  var pressed: [Int] = []
  /// State of the LED, and when it last changed.
  var light: (isOn: Bool, since: UInt64) = (false, 0)
}

/// GPIO chip that a running box opens.
final class SimulatedChip: LineChip {
  let lineCount = 32
  private unowned let outside: SimulatedBoxes
  private var requests: [Unowned] = []

  private struct Unowned {
    unowned(unsafe) let lines: SimulatedLines
  }

  init(_ outside: SimulatedBoxes) { self.outside = outside }

  func user(of offset: Int) -> String? { nil }

  func requestLines(_ configuration: GPIOConfiguration) throws(SystemError) -> any LineRequest {
    let debounces = configuration.attributes.contains {
      if case .debounce = $0 { true } else { false }
    }
    if debounces, !outside.plan.debounces {
      throw SystemError("GPIO_V2_GET_LINE", code: SystemError.unsupported)
    }
    let lines = SimulatedLines(self, configuration, outside)
    requests.append(Unowned(lines: lines))
    return lines
  }

  func forget(_ lines: SimulatedLines) { requests.removeAll { $0.lines === lines } }

  /// Passes a contact's edge to the requests that include its line.
  func edge(_ offset: Int, _ isActive: Bool) {
    for request in requests { request.lines.edge(offset, isActive) }
  }
}

/// Line request of the box, optionally with debouncing as the kernel does it.
final class SimulatedLines: LineRequest {
  private let chip: SimulatedChip
  private let configuration: GPIOConfiguration
  private unowned let outside: SimulatedBoxes
  private let source: SimulatedSource
  private var edges: [GPIOEvent] = []
  private var sequence: UInt32 = 0
  /// Levels reported by the debouncing.
  private var told: UInt64
  /// Number of edges per line; an edge that is followed by another within the debounce period is discarded.
  private var changes = [Int](repeating: 0, count: 64)

  init(_ chip: SimulatedChip, _ configuration: GPIOConfiguration, _ outside: SimulatedBoxes) {
    self.chip = chip
    self.configuration = configuration
    self.outside = outside
    source = SimulatedSource(outside.scheduler)
    told = outside.contacts.levels
  }

  deinit { chip.forget(self) }

  var descriptor: Int32 { source.descriptor }

  func edge(_ offset: Int, _ isActive: Bool) {
    guard let line = configuration.lines.first(where: { $0.offset == offset }),
      !line.flags.contains(.output)
    else { return }
    guard line.debounce > 0 else { return tell(offset, isActive) }
    changes[offset] += 1
    let change = changes[offset]
    outside.agenda.add(at: outside.scheduler.now + UInt64(line.debounce) * 1000) { [weak self] in
      guard let self, change == changes[offset], (told >> UInt64(offset) & 1 == 1) != isActive else { return }
      told ^= 1 << UInt64(offset)
      tell(offset, isActive)
    }
  }

  private func tell(_ offset: Int, _ isActive: Bool) {
    sequence += 1
    edges.append(
      GPIOEvent(offset: offset, isActive: isActive, time: outside.scheduler.now, sequence: sequence))
    source.signal()
  }

  func takeEvents() throws(SystemError) -> [GPIOEvent] {
    source.clear()
    outside.willTakeInput()
    defer { edges = [] }
    return edges
  }

  func levels() throws(SystemError) -> UInt64 {
    var levels: UInt64 = 0
    for (bit, line) in configuration.lines.enumerated()
    where outside.contacts.levels >> UInt64(line.offset) & 1 == 1 { levels |= 1 << UInt64(bit) }
    return levels
  }

  func set(_ levels: UInt64, mask: UInt64) throws(SystemError) {
    for (bit, line) in configuration.lines.enumerated() where mask >> UInt64(bit) & 1 == 1 {
      if line.offset == BoxPlan.lightLine { outside.setLight(levels >> UInt64(bit) & 1 == 1) }
    }
  }
}
