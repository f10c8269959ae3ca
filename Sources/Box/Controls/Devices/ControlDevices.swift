// What inputs and lights need of the machine, so that tests can stand in for it. Control thread only; nothing
// here waits. Descriptors are for an event loop: readable when there is something to take.

import Platform

/// The machine's devices.
package protocol ControlDevices: AnyObject {
  /// Opens a GPIO chip by its name, path or label.
  func openChip(_ name: String) throws(SystemError) -> any LineChip
  /// The paths of all input devices, in a fixed order.
  func inputPaths() -> [String]
  /// Opens an input device.
  func openInput(_ path: String) throws(SystemError) -> any KeySource
  /// The path that a path leads to, links followed; itself where it leads nowhere.
  func resolved(_ path: String) -> String
  /// Opens a panel's tty.
  func openPanel(_ panel: PanelDeclaration) throws(SystemError) -> any ByteSource
  /// Starts the process that reads a PN532: lines of `ReaderReport`, and an error when it has ended. It ends with what is given.
  func startReader(_ connection: NFCConnection) throws(SystemError) -> any ByteSource
  /// Opens a light of /sys/class/leds.
  func openLight(_ name: String) throws(SystemError) -> any LightFolder
  /// Starts to tell of new devices; an error where the machine cannot.
  func watch() throws(SystemError) -> any DeviceWatch
}

extension ControlDevices {
  /// There are none, unless the machine has them.
  package func startReader(_ connection: NFCConnection) throws(SystemError) -> any ByteSource {
    throw SystemError("start", on: connection.text, code: SystemError.unsupported)
  }
}

/// An open GPIO chip.
package protocol LineChip: AnyObject {
  /// How many lines it has.
  var lineCount: Int { get }
  /// Who has a line; nil if nobody.
  func user(of offset: Int) -> String?
  /// Takes lines, all or none.
  func requestLines(_ configuration: GPIOConfiguration) throws(SystemError) -> any LineRequest
}

/// Lines taken from a chip until this goes.
package protocol LineRequest: AnyObject {
  var descriptor: Int32 { get }
  /// The edges since the last call. An error means that the chip has gone.
  func takeEvents() throws(SystemError) -> [GPIOEvent]
  /// Which lines are active; bit 0 is the first.
  func levels() throws(SystemError) -> UInt64
  /// Makes the lines in `mask` active or not.
  func set(_ levels: UInt64, mask: UInt64) throws(SystemError)
}

/// An open input device.
package protocol KeySource: AnyObject {
  var descriptor: Int32 { get }
  /// Its name, such as `gpio-keys`.
  var name: String { get }
  /// Whether it has a key.
  func hasKey(_ code: UInt16) -> Bool
  /// Whether it has a relative axis.
  func hasAxis(_ code: UInt16) -> Bool
  /// Keeps its events from all others until it is closed.
  func grab() throws(SystemError)
  /// The keys of `codes` that are down.
  func pressed(among codes: [UInt16]) throws(SystemError) -> [UInt16]
  /// The changes since the last call. An error means that the device has gone.
  func takeEvents() throws(SystemError) -> [TimedInputEvent]
}

/// An open line of bytes.
package protocol ByteSource: AnyObject {
  var descriptor: Int32 { get }
  /// Some of the bytes that have come in; an error when the line has gone.
  func takeBytes() throws(SystemError) -> [UInt8]
}

/// A light of /sys/class/leds: a folder of small files.
package protocol LightFolder: AnyObject {
  /// What a file of it holds.
  func text(of file: String) throws(SystemError) -> String
  /// Writes a file of it.
  func write(_ text: String, to file: String) throws(SystemError)
}

/// Tells of new devices.
package protocol DeviceWatch: AnyObject {
  var descriptor: Int32 { get }
  /// Which kinds of devices it tells of from now on; false where one of them cannot be watched now.
  func follow(_ kinds: DeviceKinds) -> Bool
  /// Whether there may be new devices of these kinds since the last call.
  func takeChanges() -> Bool
}

/// Where new devices appear.
package struct DeviceKinds: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  /// The kinds whose bits are set.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// GPIO chips and ttys, in /dev.
  package static let chipsAndLines = DeviceKinds(rawValue: 1)
  /// Input devices, in /dev/input.
  package static let inputs = DeviceKinds(rawValue: 2)
}
