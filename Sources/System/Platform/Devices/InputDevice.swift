// A kernel input device (evdev, linux/input.h): keys and relative axes. Control thread; never blocks.

import CLinux

/// An event of an input device.
package enum InputEvent: Hashable, Sendable {
  /// A key went down or came up; auto-repeat is filtered out.
  case key(UInt16, isDown: Bool)
  /// A relative axis moved.
  case axis(UInt16, Int)
  /// Events before this one were lost; read the pressed keys again.
  case lost
}

/// An event with its time in nanoseconds of CLOCK_MONOTONIC.
package struct TimedInputEvent: Hashable, Sendable {
  /// The event.
  package let event: InputEvent
  /// The time.
  package let time: UInt64

  /// Creates a timed event.
  package init(_ event: InputEvent, at time: UInt64) {
    self.event = event
    self.time = time
  }
}

/// An open input device. Other programs receive its events, too, unless it is grabbed.
package final class InputDevice {
  private static let keyBytes = 96
  private static let axisBytes = 8
  private static let readAtOnce = 32

  /// The device's name, such as `gpio-keys`.
  package let name: String
  private let device: FileDescriptor
  private let keys: [UInt8]
  private let axes: [UInt8]
  private let hasKernelTimes: Bool
  private var isResyncing = false

  /// Opens a device.
  ///
  /// - Throws: An error that names the path.
  package init(path: String) throws(SystemError) {
    let device = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
    var text = [CChar](repeating: 0, count: 256)
    guard clinux_input_name(device.raw, &text, 256) == 0 else { throw SystemError("EVIOCGNAME", on: path) }
    name = text.withUnsafeBytes { bytes in
      String(decoding: bytes[..<(bytes.firstIndex(of: 0) ?? 0)], as: UTF8.self)
    }
    var keys = [UInt8](repeating: 0, count: Self.keyBytes)
    var axes = [UInt8](repeating: 0, count: Self.axisBytes)
    // The calls fail for a device without keys or axes, which leaves zeros.
    _ = clinux_input_bits(device.raw, EV_KEY, &keys, Self.keyBytes)
    _ = clinux_input_bits(device.raw, EV_REL, &axes, Self.axisBytes)
    self.keys = keys
    self.axes = axes
    hasKernelTimes = clinux_input_use_monotonic_clock(device.raw) == 0
    self.device = device
  }

  /// For an event loop: readable when there are events.
  package var descriptor: Int32 { device.raw }

  /// Whether the device has a key.
  package func hasKey(_ code: UInt16) -> Bool { Self.bit(code, of: keys) }

  /// Whether the device has a relative axis.
  package func hasAxis(_ code: UInt16) -> Bool { Self.bit(code, of: axes) }

  /// The keys among `codes` that are down now.
  package func pressed(among codes: [UInt16]) throws(SystemError) -> [UInt16] {
    var bits = [UInt8](repeating: 0, count: Self.keyBytes)
    guard clinux_input_pressed(device.raw, &bits, Self.keyBytes) == 0 else {
      throw SystemError("EVIOCGKEY", on: name)
    }
    return codes.filter { Self.bit($0, of: bits) }
  }

  /// The `SystemError.call` of a failed `grab`.
  package static let grabCall = "EVIOCGRAB"

  /// Grabs the device, so that its events reach no other program until it is closed.
  ///
  /// - Throws: If another program has grabbed it.
  package func grab() throws(SystemError) {
    guard clinux_input_grab(device.raw) == 0 else { throw SystemError(Self.grabCall, on: name) }
  }

  /// The events since the last call, at most a few dozen.
  ///
  /// - Throws: If the device has been removed.
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

  /// Translates a kernel event. After SYN_DROPPED, events up to the next SYN_REPORT belong to an incomplete
  /// packet and are dropped (Documentation/input/event-codes.rst).
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
