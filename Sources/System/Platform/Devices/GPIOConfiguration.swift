// The configuration of a GPIO line request in the kernel's terms (linux/gpio.h, uAPI v2). Pure values; any
// thread.

import CLinux

/// The mode of a GPIO line.
package struct GPIOLineFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt64

  /// Creates a set from the kernel's flags.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The line is active when low.
  package static let activeLow = GPIOLineFlags(rawValue: CLINUX_GPIO_ACTIVE_LOW)
  /// The line is an input, and both edges are reported.
  package static let input = GPIOLineFlags(rawValue: CLINUX_GPIO_INPUT | CLINUX_GPIO_BOTH_EDGES)
  /// The line is an output.
  package static let output = GPIOLineFlags(rawValue: CLINUX_GPIO_OUTPUT)
  /// The chip's pull-up resistor is enabled.
  package static let pullUp = GPIOLineFlags(rawValue: CLINUX_GPIO_PULL_UP)
  /// The chip's pull-down resistor is enabled.
  package static let pullDown = GPIOLineFlags(rawValue: CLINUX_GPIO_PULL_DOWN)
  /// The chip's pull resistors are disabled.
  package static let noPull = GPIOLineFlags(rawValue: CLINUX_GPIO_NO_PULL)
}

/// The settings of one line.
package struct GPIOLineSettings: Hashable, Sendable {
  /// The line's number on the chip.
  package let offset: Int
  /// The line's mode.
  package let flags: GPIOLineFlags
  /// The kernel's debounce time in microseconds; 0: every edge is reported.
  package let debounce: Int

  /// Creates settings.
  package init(offset: Int, flags: GPIOLineFlags, debounce: Int = 0) {
    self.offset = offset
    self.flags = flags
    self.debounce = debounce
  }
}

/// The lines of one chip in one request.
package struct GPIOConfiguration: Hashable, Sendable {
  /// A setting of some of the lines that differs from the rest.
  package enum Attribute: Hashable, Sendable {
    case flags(GPIOLineFlags, mask: UInt64)
    /// A debounce time in microseconds.
    case debounce(Int, mask: UInt64)
  }

  /// The most lines of a request (GPIO_V2_LINES_MAX).
  package static let maxLines = 64
  /// The most attributes of a request (GPIO_V2_LINE_NUM_ATTRS_MAX).
  package static let maxAttributes = 10

  /// The lines. Bits of masks and values refer to indices in this list.
  package let lines: [GPIOLineSettings]
  /// The mode of lines that no attribute names.
  package let flags: GPIOLineFlags
  /// The settings that differ.
  package let attributes: [Attribute]

  /// Creates a configuration; nil for no lines, too many lines, or more differences than a request allows.
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
