// What is asked of GPIO lines, in the form the kernel takes it (linux/gpio.h, uAPI v2). Pure values; any thread.

import CLinux

/// How a GPIO line is used.
package struct GPIOLineFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt64

  /// The kernel's flags.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Low counts as active.
  package static let activeLow = GPIOLineFlags(rawValue: CLINUX_GPIO_ACTIVE_LOW)
  /// It is read; both edges are reported.
  package static let input = GPIOLineFlags(rawValue: CLINUX_GPIO_INPUT | CLINUX_GPIO_BOTH_EDGES)
  /// It is driven.
  package static let output = GPIOLineFlags(rawValue: CLINUX_GPIO_OUTPUT)
  /// The chip's resistor pulls it up.
  package static let pullUp = GPIOLineFlags(rawValue: CLINUX_GPIO_PULL_UP)
  /// The chip's resistor pulls it down.
  package static let pullDown = GPIOLineFlags(rawValue: CLINUX_GPIO_PULL_DOWN)
  /// The chip's resistor is off.
  package static let noPull = GPIOLineFlags(rawValue: CLINUX_GPIO_NO_PULL)
}

/// A line and how it is used.
package struct GPIOLineSettings: Hashable, Sendable {
  /// Its number on the chip.
  package let offset: Int
  /// How it is used.
  package let flags: GPIOLineFlags
  /// How long a level must stand before the kernel reports it, in microseconds; 0: it reports every edge.
  package let debounce: Int

  /// A line used like that.
  package init(offset: Int, flags: GPIOLineFlags, debounce: Int = 0) {
    self.offset = offset
    self.flags = flags
    self.debounce = debounce
  }
}

/// Lines of one chip that one request can hold.
package struct GPIOConfiguration: Hashable, Sendable {
  /// What some of the lines have different from the rest.
  package enum Attribute: Hashable, Sendable {
    case flags(GPIOLineFlags, mask: UInt64)
    /// Microseconds.
    case debounce(Int, mask: UInt64)
  }

  /// The most lines of a request (GPIO_V2_LINES_MAX).
  package static let maxLines = 64
  /// The most attributes of a request (GPIO_V2_LINE_NUM_ATTRS_MAX).
  package static let maxAttributes = 10

  /// The lines; a bit of a mask or of values is an index into them.
  package let lines: [GPIOLineSettings]
  /// How the lines are used that no attribute names.
  package let flags: GPIOLineFlags
  /// The others.
  package let attributes: [Attribute]

  /// Nil where the lines differ in too many ways for one request, or are none or too many.
  package init?(_ lines: [GPIOLineSettings]) {
    guard let first = lines.first, lines.count <= Self.maxLines else { return nil }
    var attributes: [Attribute] = []
    for (index, line) in lines.enumerated() {
      let bit = UInt64(1) << UInt64(index)
      if line.flags != first.flags {
        Self.add(bit, to: &attributes) {
          if case .flags(line.flags, let mask) = $0 { .flags(line.flags, mask: mask | bit) } else { nil }
        } or: {
          .flags(line.flags, mask: bit)
        }
      }
      if line.debounce > 0 {
        Self.add(bit, to: &attributes) {
          if case .debounce(line.debounce, let mask) = $0 {
            .debounce(line.debounce, mask: mask | bit)
          } else {
            nil
          }
        } or: {
          .debounce(line.debounce, mask: bit)
        }
      }
    }
    guard attributes.count <= Self.maxAttributes else { return nil }
    self.lines = lines
    flags = first.flags
    self.attributes = attributes
  }

  private static func add(
    _ bit: UInt64, to attributes: inout [Attribute], widened: (Attribute) -> Attribute?,
    or new: () -> Attribute
  ) {
    for index in attributes.indices {
      guard let wider = widened(attributes[index]) else { continue }
      attributes[index] = wider
      return
    }
    attributes.append(new())
  }
}
