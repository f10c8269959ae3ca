// A GPIO chip and line requests, by uAPI v2 of the GPIO character device (linux/gpio.h, Linux 5.10). Control
// thread only; never blocks.

import CLinux

/// An open GPIO chip.
package final class GPIOChip {
  /// The chip's label, such as `pinctrl-bcm2835`.
  package let label: String
  /// The number of lines.
  package let lineCount: Int
  /// The least size of the kernel's edge queue. A contact may bounce dozens of times while the control thread
  /// is delayed by storage.
  private static let queuedEdges = 128
  private let path: String
  private let device: FileDescriptor

  /// Opens a chip by its path.
  ///
  /// - Throws: An error that names the path.
  package init(path: String) throws(SystemError) {
    device = try FileDescriptor.open(path, O_RDWR)
    self.path = path
    var info = gpiochip_info()
    guard clinux_ioctl_pointer(device.raw, CLINUX_GPIO_GET_CHIPINFO, &info) >= 0 else {
      throw SystemError("GPIO_GET_CHIPINFO", on: path)
    }
    lineCount = Int(info.lines)
    label = withUnsafeBytes(of: &info.label) { Self.text($0) }
  }

  /// Opens a chip by its name, such as `gpiochip0`, its path, or its label.
  ///
  /// - Throws: An error that contains `name`.
  package static func named(_ name: String, in folder: String) throws(SystemError) -> GPIOChip {
    if name.utf8.first == 0x2F { return try GPIOChip(path: name) }
    if isChip(name) { return try GPIOChip(path: folder + "/" + name) }
    let names = try Directory.entries(of: folder).map { $0.name }.filter(isChip).sorted()
    for candidate in names {
      do throws(SystemError) {
        let chip = try GPIOChip(path: folder + "/" + candidate)
        if chip.label == name { return chip }
      } catch {
        continue
      }
    }
    throw SystemError("open", on: name, code: ENODEV)
  }

  /// Whether a name in /dev is that of a GPIO chip.
  package static func isChip(_ name: String) -> Bool { name.utf8.starts(with: "gpiochip".utf8) }

  /// The consumer of a line (GPIO_V2_GET_LINEINFO): empty if the kernel does not report it; nil if the line
  /// is free.
  package func user(of offset: Int) -> String? {
    var info = gpio_v2_line_info()
    info.offset = UInt32(clamping: offset)
    guard clinux_ioctl_pointer(device.raw, CLINUX_GPIO_GET_LINEINFO, &info) >= 0,
      info.flags & CLINUX_GPIO_USED != 0
    else { return nil }
    return withUnsafeBytes(of: &info.consumer) { Self.text($0) }
  }

  /// Requests lines, all or none.
  ///
  /// - Throws: An error that names the chip.
  package func request(_ configuration: GPIOConfiguration) throws(SystemError) -> GPIOLines {
    var request = gpio_v2_line_request()
    clinux_gpio_set_consumer(&request, "swiftlet")
    request.num_lines = UInt32(configuration.lines.count)
    request.event_buffer_size = UInt32(max(Self.queuedEdges, 16 * configuration.lines.count))
    request.config.flags = configuration.flags.rawValue
    for (index, line) in configuration.lines.enumerated() {
      clinux_gpio_set_line(&request, UInt32(index), UInt32(clamping: line.offset))
    }
    for attribute in configuration.attributes {
      switch attribute {
      case .flags(let flags, let mask): clinux_gpio_add_flags(&request, flags.rawValue, mask)
      case .debounce(let time, let mask):
        clinux_gpio_add_debounce(&request, UInt32(clamping: time), mask)
      }
    }
    guard clinux_ioctl_pointer(device.raw, CLINUX_GPIO_GET_LINE, &request) >= 0 else {
      throw SystemError("GPIO_V2_GET_LINE", on: path)
    }
    let lines = FileDescriptor(owning: request.fd)
    try lines.setNonBlocking()
    return GPIOLines(lines, count: configuration.lines.count)
  }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    let end = bytes.firstIndex(of: 0) ?? bytes.endIndex
    return String(decoding: bytes[..<end], as: UTF8.self)
  }
}
