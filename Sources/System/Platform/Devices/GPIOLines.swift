// Lines that a GPIO chip has granted: their edges and levels. Control thread only; never waits.

import CLinux

/// An edge of a line.
package struct GPIOEvent: Hashable, Sendable {
  /// The line's number on the chip.
  package let offset: Int
  /// Whether it became active.
  package let isActive: Bool
  /// Nanoseconds of CLOCK_MONOTONIC.
  package let time: UInt64
  /// Counts the events of all lines of the request from 1; a gap tells of lost ones.
  package let sequence: UInt32

  /// An edge.
  package init(offset: Int, isActive: Bool, time: UInt64, sequence: UInt32) {
    self.offset = offset
    self.isActive = isActive
    self.time = time
    self.sequence = sequence
  }
}

/// Lines of one request. They are given back when this goes.
package final class GPIOLines {
  /// The most edges that one call answers; so many fit into the kernel's queue.
  package static let maxEvents = 1024
  private static let readAtOnce = 16
  private let device: FileDescriptor
  private let all: UInt64

  init(_ device: consuming FileDescriptor, count: Int) {
    self.device = device
    all = count >= 64 ? .max : (1 << UInt64(count)) - 1
  }

  /// For an event loop: readable when there are edges.
  package var descriptor: Int32 { device.raw }

  /// The edges since the last call. An error means that the chip has gone.
  package func takeEvents() throws(SystemError) -> [GPIOEvent] {
    let size = MemoryLayout<gpio_v2_line_event>.stride
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size * Self.readAtOnce, alignment: 8)
    defer { buffer.deallocate() }
    var events: [GPIOEvent] = []
    while events.count < Self.maxEvents, let n = try device.read(into: buffer) {
      // The kernel hands out whole events only; anything else is not a GPIO chip any more.
      guard n > 0, n % size == 0 else { throw SystemError("read", on: "GPIO lines", code: EIO) }
      for start in stride(from: 0, to: n, by: size) {
        let event = buffer.loadUnaligned(fromByteOffset: start, as: gpio_v2_line_event.self)
        events.append(
          GPIOEvent(
            offset: Int(event.offset), isActive: event.id == UInt32(GPIO_V2_LINE_EVENT_RISING_EDGE.rawValue),
            time: event.timestamp_ns, sequence: event.seqno))
      }
      if n < buffer.count { break }
    }
    return events
  }

  /// Which lines are active now, debounced as their edges are; bit 0 is the request's first line.
  package func levels() throws(SystemError) -> UInt64 {
    var values = gpio_v2_line_values(bits: 0, mask: all)
    guard clinux_ioctl_pointer(device.raw, CLINUX_GPIO_GET_VALUES, &values) >= 0 else {
      throw SystemError("GPIO_V2_LINE_GET_VALUES")
    }
    return values.bits
  }

  /// Makes the lines in `mask` active or not.
  package func set(_ levels: UInt64, mask: UInt64) throws(SystemError) {
    var values = gpio_v2_line_values(bits: levels, mask: mask & all)
    guard clinux_ioctl_pointer(device.raw, CLINUX_GPIO_SET_VALUES, &values) >= 0 else {
      throw SystemError("GPIO_V2_LINE_SET_VALUES")
    }
  }
}
