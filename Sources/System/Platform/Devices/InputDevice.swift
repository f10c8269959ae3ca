// An input device of the kernel (evdev, linux/input.h): keys and relative axes. Control thread; never waits.

import CLinux

/// A change that an input device reports.
package enum InputEvent: Hashable, Sendable {
  /// A key went down or came up; repeats of a held key are left out.
  case key(UInt16, isDown: Bool)
  /// A relative axis moved.
  case axis(UInt16, Int)
  /// Events were lost up to here: ask for the keys that are down.
  case lost
}

/// A change and when it happened, in nanoseconds of CLOCK_MONOTONIC.
package struct TimedInputEvent: Hashable, Sendable {
  /// What changed.
  package let event: InputEvent
  /// When.
  package let time: UInt64

  /// A change at a time.
  package init(_ event: InputEvent, at time: UInt64) {
    self.event = event
    self.time = time
  }
}

/// An open input device. Others get its events as well, unless it is grabbed.
package final class InputDevice {
  private static let keyBytes = 96
  private static let axisBytes = 8
  private static let readAtOnce = 32

  /// Its name, such as `gpio-keys`.
  package let name: String
  private let device: FileDescriptor
  private let keys: [UInt8]
  private let axes: [UInt8]
  private let hasKernelTimes: Bool
  private var isResyncing = false

  /// Opens a device. Errors name the path.
  package init(path: String) throws(SystemError) {
    let device = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
    var text = [CChar](repeating: 0, count: 256)
    guard clinux_input_name(device.raw, &text, 256) == 0 else { throw SystemError("EVIOCGNAME", on: path) }
    name = text.withUnsafeBytes { bytes in
      String(decoding: bytes[..<(bytes.firstIndex(of: 0) ?? 0)], as: UTF8.self)
    }
    var keys = [UInt8](repeating: 0, count: Self.keyBytes)
    var axes = [UInt8](repeating: 0, count: Self.axisBytes)
    // A device without keys or axes has no bits to give; what is left is zeros.
    _ = clinux_input_bits(device.raw, EV_KEY, &keys, Self.keyBytes)
    _ = clinux_input_bits(device.raw, EV_REL, &axes, Self.axisBytes)
    self.keys = keys
    self.axes = axes
    hasKernelTimes = clinux_input_use_monotonic_clock(device.raw) == 0
    self.device = device
  }

  /// For an event loop: readable when there are events.
  package var descriptor: Int32 { device.raw }

  /// Whether it has a key.
  package func hasKey(_ code: UInt16) -> Bool { Self.bit(code, of: keys) }

  /// Whether it has a relative axis.
  package func hasAxis(_ code: UInt16) -> Bool { Self.bit(code, of: axes) }

  /// The keys of `codes` that are down now.
  package func pressed(among codes: [UInt16]) throws(SystemError) -> [UInt16] {
    var bits = [UInt8](repeating: 0, count: Self.keyBytes)
    guard clinux_input_pressed(device.raw, &bits, Self.keyBytes) == 0 else {
      throw SystemError("EVIOCGKEY", on: name)
    }
    return codes.filter { Self.bit($0, of: bits) }
  }

  /// The name of the call that grabs a device, in its errors.
  package static let grabCall = "EVIOCGRAB"

  /// Keeps its events from all others until it is closed; an error where another program has done so.
  package func grab() throws(SystemError) {
    guard clinux_input_grab(device.raw) == 0 else { throw SystemError(Self.grabCall, on: name) }
  }

  /// The changes since the last call, at most a few dozen; an error means that the device has gone.
  package func takeEvents() throws(SystemError) -> [TimedInputEvent] {
    let size = MemoryLayout<input_event>.stride
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size * Self.readAtOnce, alignment: 8)
    defer { buffer.deallocate() }
    guard let n = try device.read(into: buffer) else { return [] }
    guard n > 0, n % size == 0 else { throw SystemError("read", on: name, code: EIO) }
    var events: [TimedInputEvent] = []
    for start in stride(from: 0, to: n, by: size) {
      var raw = buffer.loadUnaligned(fromByteOffset: start, as: input_event.self)
      guard let event = meaning(of: raw) else { continue }
      events.append(
        TimedInputEvent(event, at: hasKernelTimes ? clinux_input_time(&raw) : MonotonicClock.now()))
    }
    return events
  }

  /// After SYN_DROPPED everything up to the next SYN_REPORT is a torn packet
  /// (Documentation/input/event-codes.rst).
  private func meaning(of raw: input_event) -> InputEvent? {
    switch Int32(raw.type) {
    case EV_SYN where Int32(raw.code) == SYN_DROPPED:
      isResyncing = true
      return nil
    case EV_SYN where Int32(raw.code) == SYN_REPORT:
      defer { isResyncing = false }
      return isResyncing ? .lost : nil
    case EV_KEY where !isResyncing && raw.value < 2: return .key(raw.code, isDown: raw.value == 1)
    case EV_REL where !isResyncing: return .axis(raw.code, Int(raw.value))
    default: return nil
    }
  }

  private static func bit(_ code: UInt16, of bytes: [UInt8]) -> Bool {
    let index = Int(code >> 3)
    return index < bytes.count && bytes[index] & (1 << UInt8(code & 7)) != 0
  }
}
