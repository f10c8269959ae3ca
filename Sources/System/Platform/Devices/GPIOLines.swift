// GPIO lines granted by the kernel: edge events and levels. Control thread only; never blocks.

import CLinux

/// An edge event of a line.
package struct GPIOEvent: Hashable, Sendable {
  /// The line's number on the chip.
  package let offset: Int
  /// Whether the line became active.
  package let isActive: Bool
  /// Nanoseconds of CLOCK_MONOTONIC.
  package let time: UInt64
  /// The number of the event among those of all lines of the request, from 1; a gap means lost events.
  package let sequence: UInt32

  /// Creates an event.
  package init(offset: Int, isActive: Bool, time: UInt64, sequence: UInt32) {
    self.offset = offset
    self.isActive = isActive
    self.time = time
    self.sequence = sequence
  }
}

/// The lines of one request, which are released with this object.
package final class GPIOLines {
  /// The most events returned by one call, which is also the capacity of the kernel's queue.
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

  /// The edges since the last call.
  ///
  /// - Throws: If the chip has been removed.
  package func takeEvents() throws(SystemError) -> [GPIOEvent] {
    let size = MemoryLayout<gpio_v2_line_event>.stride
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size * Self.readAtOnce, alignment: 8)
    defer { buffer.deallocate() }
    var events: [GPIOEvent] = []
    while events.count < Self.maxEvents, let n = try device.read(into: buffer) {
      // The kernel returns whole events only; any other size is an error.
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

  /// The lines' levels after debouncing; bit 0 is the request's first line, and 1 means active.
  package func levels() throws(SystemError) -> UInt64 {
    var values = gpio_v2_line_values(bits: 0, mask: all)
    guard clinux_ioctl_pointer(device.raw, CLINUX_GPIO_GET_VALUES, &values) >= 0 else {
      throw SystemError("GPIO_V2_LINE_GET_VALUES")
    }
    return values.bits
  }

  /// Sets the lines in `mask` active or inactive.
  package func set(_ levels: UInt64, mask: UInt64) throws(SystemError) {
    var values = gpio_v2_line_values(bits: levels, mask: mask & all)
    guard clinux_ioctl_pointer(device.raw, CLINUX_GPIO_SET_VALUES, &values) >= 0 else {
      throw SystemError("GPIO_V2_LINE_SET_VALUES")
    }
  }
}
