// Access to GPIO chips, input devices, ttys and LEDs, as protocols that tests implement in software. Control
// thread only; no call blocks.
// The descriptors are for an event loop: readable when data is waiting.

import Platform

/// The devices of a machine.
package protocol ControlDevices: AnyObject {
  /// Opens a GPIO chip by its name, path or label.
  func openChip(_ name: String) throws(SystemError) -> any LineChip
  /// The paths of all input devices, in a stable order.
  func inputPaths() -> [String]
  /// Opens an input device.
  func openInput(_ path: String) throws(SystemError) -> any KeySource
  /// Resolves symbolic links; returns the path itself if that fails.
  func resolved(_ path: String) -> String
  /// Opens a panel's tty.
  func openPanel(_ panel: PanelDeclaration) throws(SystemError) -> any ByteSource
  /// Starts the process that reads a PN532. It writes `ReaderReport` lines; reading fails once the process
  /// has ended. Releasing the source ends the process.
  func startReader(_ connection: NFCConnection) throws(SystemError) -> any ByteSource
  /// Opens an LED of /sys/class/leds.
  func openLight(_ name: String) throws(SystemError) -> any LightFolder
  /// Starts watching for new devices.
  ///
  /// - Throws: If the machine has no means to do so.
  func watch() throws(SystemError) -> any DeviceWatch
}

extension ControlDevices {
  /// Fails: by default a machine has no such readers.
  package func startReader(_ connection: NFCConnection) throws(SystemError) -> any ByteSource {
    throw SystemError("start", on: connection.text, code: SystemError.unsupported)
  }
}

/// An open GPIO chip.
package protocol LineChip: AnyObject {
  /// The number of lines.
  var lineCount: Int { get }
  /// The consumer of a line; nil if the line is free.
  func user(of offset: Int) -> String?
  /// Requests lines from the kernel, all or none.
  func requestLines(_ configuration: GPIOConfiguration) throws(SystemError) -> any LineRequest
}

/// Lines held from a GPIO chip until this object is released.
package protocol LineRequest: AnyObject {
  var descriptor: Int32 { get }
  /// The edges since the last call.
  ///
  /// - Throws: If the chip has been removed.
  func takeEvents() throws(SystemError) -> [GPIOEvent]
  /// The lines' levels; bit 0 is the first line, and 1 means active.
  func levels() throws(SystemError) -> UInt64
  /// Sets the lines in `mask` active or inactive.
  func set(_ levels: UInt64, mask: UInt64) throws(SystemError)
}

/// An open input device.
package protocol KeySource: AnyObject {
  var descriptor: Int32 { get }
  /// The device's name, such as `gpio-keys`.
  var name: String { get }
  /// Whether the device has a key.
  func hasKey(_ code: UInt16) -> Bool
  /// Whether the device has a relative axis.
  func hasAxis(_ code: UInt16) -> Bool
  /// Grabs the device, so that its events reach no other program until it is closed.
  func grab() throws(SystemError)
  /// The keys among `codes` that are down.
  func pressed(among codes: [UInt16]) throws(SystemError) -> [UInt16]
  /// The events since the last call.
  ///
  /// - Throws: If the device has been removed.
  func takeEvents() throws(SystemError) -> [TimedInputEvent]
}

/// A source of bytes, such as a tty or a process.
package protocol ByteSource: AnyObject {
  var descriptor: Int32 { get }
  /// Some of the received bytes; empty if there are none.
  ///
  /// - Throws: If the source has been closed.
  func takeBytes() throws(SystemError) -> [UInt8]
}

/// An LED of /sys/class/leds: a folder of attribute files.
package protocol LightFolder: AnyObject {
  /// Reads an attribute file.
  func text(of file: String) throws(SystemError) -> String
  /// Writes an attribute file.
  func write(_ text: String, to file: String) throws(SystemError)
}

/// A watch for new devices.
package protocol DeviceWatch: AnyObject {
  var descriptor: Int32 { get }
  /// Selects the kinds of devices to watch for.
  ///
  /// - Returns: False if one of them cannot be watched now.
  func follow(_ kinds: DeviceKinds) -> Bool
  /// Whether new devices of these kinds may have appeared since the last call.
  func takeChanges() -> Bool
}

/// Kinds of devices, by the folder in which they appear.
package struct DeviceKinds: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  /// Creates a set from its bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// GPIO chips and ttys, in /dev.
  package static let chipsAndLines = DeviceKinds(rawValue: 1)
  /// Input devices, in /dev/input.
  package static let inputs = DeviceKinds(rawValue: 2)
}
