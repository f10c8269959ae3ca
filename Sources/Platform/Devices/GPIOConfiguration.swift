// What is asked of GPIO lines, in the form the kernel takes it (linux/gpio.h, uAPI v2). Pure values; any thread.

import CLinux

/// How a GPIO line is used.
public struct GPIOLineFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt64

  /// The kernel's flags.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Low counts as active.
  public static let activeLow = GPIOLineFlags(rawValue: CLINUX_GPIO_ACTIVE_LOW)
  /// It is read; both edges are reported.
  public static let input = GPIOLineFlags(rawValue: CLINUX_GPIO_INPUT | CLINUX_GPIO_BOTH_EDGES)
  /// It is driven.
  public static let output = GPIOLineFlags(rawValue: CLINUX_GPIO_OUTPUT)
  /// The chip's resistor pulls it up.
  public static let pullUp = GPIOLineFlags(rawValue: CLINUX_GPIO_PULL_UP)
  /// The chip's resistor pulls it down.
  public static let pullDown = GPIOLineFlags(rawValue: CLINUX_GPIO_PULL_DOWN)
  /// The chip's resistor is off.
  public static let noPull = GPIOLineFlags(rawValue: CLINUX_GPIO_NO_PULL)
}

/// A line and how it is used.
public struct GPIOLineSettings: Hashable, Sendable {
  /// Its number on the chip.
  public let offset: Int
  /// How it is used.
  public let flags: GPIOLineFlags
  /// How long a level must stand before the kernel reports it, in microseconds; 0: it reports every edge.
  public let debounce: Int

  /// A line used like that.
  public init(offset: Int, flags: GPIOLineFlags, debounce: Int = 0) {
    self.offset = offset
    self.flags = flags
    self.debounce = debounce
  }
}

/// Lines of one chip that one request can hold.
public struct GPIOConfiguration: Hashable, Sendable {
  /// What some of the lines have different from the rest.
  public enum Attribute: Hashable, Sendable {
    case flags(GPIOLineFlags, mask: UInt64)
    /// Microseconds.
    case debounce(Int, mask: UInt64)
  }

  /// The most lines of a request (GPIO_V2_LINES_MAX).
  public static let mostLines = 64
  /// The most attributes of a request (GPIO_V2_LINE_NUM_ATTRS_MAX).
  public static let mostAttributes = 10

  /// The lines; a bit of a mask or of values is an index into them.
  public let lines: [GPIOLineSettings]
  /// How the lines are used that no attribute names.
  public let flags: GPIOLineFlags
  /// The others.
  public let attributes: [Attribute]

  /// Nil where the lines differ in too many ways for one request, or are none or too many.
  public init?(_ lines: [GPIOLineSettings]) {
    guard let first = lines.first, lines.count <= Self.mostLines else { return nil }
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
    guard attributes.count <= Self.mostAttributes else { return nil }
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
