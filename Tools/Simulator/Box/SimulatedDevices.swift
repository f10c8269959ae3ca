// Control devices of a simulated box: a GPIO chip, a keypad that can be unplugged, a panel on a serial line. One
// thread.

import Controls
import Foundation
import Platform

/// Control devices of a running box.
final class SimulatedDevices: ControlDevices {
  let chip: SimulatedChip
  private unowned let outside: SimulatedBoxes
  private weak var keypad: SimulatedKeypad?
  private weak var panel: SimulatedPanel?
  private weak var news: SimulatedNews?

  init(_ outside: SimulatedBoxes) {
    self.outside = outside
    chip = SimulatedChip(outside)
  }

  func openChip(_ name: String) throws(SystemError) -> any LineChip { chip }
  func inputPaths() -> [String] { outside.hasKeypad ? ["/dev/input/event0"] : [] }

  func openInput(_ path: String) throws(SystemError) -> any KeySource {
    guard outside.hasKeypad else { throw SystemError("open", on: path, code: ENODEV) }
    let keypad = SimulatedKeypad(outside)
    self.keypad = keypad
    return keypad
  }

  func resolved(_ path: String) -> String { path }

  func openPanel(_ panel: PanelDeclaration) throws(SystemError) -> any ByteSource {
    let panel = SimulatedPanel(outside)
    self.panel = panel
    return panel
  }

  func openLight(_ name: String) throws(SystemError) -> any LightFolder {
    throw SystemError("open", on: name, code: ENOENT)
  }

  func watch() throws(SystemError) -> any DeviceWatch {
    let news = SimulatedNews(outside.scheduler)
    self.news = news
    return news
  }

  /// Whether the box has opened the keypad. The kernel does not report keys pressed before that.
  var hearsKeypad: Bool { keypad?.isGone == false }

  /// Presses or releases a key of the keypad.
  func key(_ code: UInt16, isDown: Bool) {
    keypad?.tell(.key(code, isDown: isDown))
  }

  func panelSays(_ bytes: [UInt8]) { panel?.say(bytes) }

  /// Reports that the keypad was plugged in or pulled out.
  func keypadChanged() {
    if !outside.hasKeypad { keypad?.unplug() }
    news?.tell()
  }
}

/// Keypad while it is plugged in.
final class SimulatedKeypad: KeySource {
  let name = "keypad"
  private unowned let outside: SimulatedBoxes
  private let source: SimulatedSource
  private var events: [TimedInputEvent] = []
  private(set) var isGone = false

  init(_ outside: SimulatedBoxes) {
    self.outside = outside
    source = SimulatedSource(outside.scheduler)
  }

  var descriptor: Int32 { source.descriptor }
  func grab() {}
  func hasKey(_ code: UInt16) -> Bool { true }
  func hasAxis(_ code: UInt16) -> Bool { false }

  func pressed(among codes: [UInt16]) throws(SystemError) -> [UInt16] {
    codes.filter { outside.keysDown.contains($0) }
  }

  func takeEvents() throws(SystemError) -> [TimedInputEvent] {
    if isGone { throw SystemError("read", code: ENODEV) }
    source.clear()
    outside.willTakeInput()
    defer { events = [] }
    return events
  }

  func tell(_ event: InputEvent) {
    events.append(TimedInputEvent(event, at: outside.scheduler.now))
    source.signal()
  }

  func unplug() {
    isGone = true
    source.signal()
  }
}

/// Panel: a microcontroller on a tty.
final class SimulatedPanel: ByteSource {
  private unowned let outside: SimulatedBoxes
  private let source: SimulatedSource
  private var bytes: [UInt8] = []

  init(_ outside: SimulatedBoxes) {
    self.outside = outside
    source = SimulatedSource(outside.scheduler)
  }

  var descriptor: Int32 { source.descriptor }

  func say(_ more: [UInt8]) {
    bytes += more
    source.signal()
  }

  func takeBytes() throws(SystemError) -> [UInt8] {
    source.clear()
    outside.willTakeInput()
    defer { bytes = [] }
    return bytes
  }
}

/// Device watch that signals when devices may have changed.
final class SimulatedNews: DeviceWatch {
  private let source: SimulatedSource
  private var hasNews = false

  init(_ scheduler: SimulatedScheduler) { source = SimulatedSource(scheduler) }

  var descriptor: Int32 { source.descriptor }
  func follow(_ kinds: DeviceKinds) -> Bool { true }

  func takeChanges() -> Bool {
    source.clear()
    defer { hasNews = false }
    return hasNews
  }

  func tell() {
    hasNews = true
    source.signal()
  }
}
