// The connection of an NFC reader in libnfc's notation: `pn532_uart:/dev/ttyS0:115200`. Pure value; any
// thread.

/// A PN532 with its bus, device and speed.
package struct NFCConnection: Hashable, Sendable {
  /// The bus that connects it.
  package enum Bus: String, Hashable, Sendable, CaseIterable {
    case uart = "pn532_uart"
    case i2c = "pn532_i2c"
    case spi = "pn532_spi"

    /// An example of a connection.
    package var example: String {
      switch self {
      case .uart: "pn532_uart:/dev/ttyS0:115200"
      case .i2c: "pn532_i2c:/dev/i2c-1"
      case .spi: "pn532_spi:/dev/spidev0.0:50000"
      }
    }

    /// Advice for users if the device is missing.
    package var advice: String {
      switch self {
      case .uart:
        "switch the serial port on, without a console on it, and see that this user is in the group dialout"
      case .i2c: "switch I2C on, load the module i2c-dev, and see that this user is in the group i2c"
      case .spi: "switch SPI on, and see that this user is in the group spi"
      }
    }
  }

  /// The error for an invalid connection, with a valid example.
  package struct Malformed: Error, Hashable {
    /// The sentence, without a full stop.
    package let sentence: String
  }

  /// The most bytes of a device's path.
  package static let maxPathLength = 96
  /// Speeds of a serial line, in bits per second.
  package static let bauds = [9600, 19200, 38400, 57600, 115_200, 230_400, 460_800]
  /// Speeds of SPI, in Hz, up to the chip's maximum.
  package static let hertz = 10_000...5_000_000

  /// The bus that connects it.
  package let bus: Bus
  /// The path of the device.
  package let path: String
  /// The speed in bits per second; nil for I2C, where the bus sets it.
  package let speed: Int?

  /// Parses a connection. The speed is optional: 115200 by default for a serial line, 50000 for SPI.
  ///
  /// - Throws: `Malformed`, with a sentence for the user.
  package init(_ text: String) throws(Malformed) {
    let parts = text.utf8.split(separator: 0x3A, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard let bus = Bus.allCases.first(where: { $0.rawValue == parts[0] }) else {
      throw Malformed(
        sentence:
          "'\(text)' names no PN532: it begins with pn532_uart, pn532_i2c or pn532_spi, as in \(Bus.uart.example)"
      )
    }
    guard parts.count >= 2, Self.isPath(parts[1]) else {
      throw Malformed(
        sentence:
          "'\(text)' names no device: a path of at most \(Self.maxPathLength) bytes that begins with / and has letters, digits and "
          + "- _ . + / only, as in \(bus.example); a link to the device has such a name")
    }
    guard parts.count <= (bus == .i2c ? 2 : 3) else {
      throw Malformed(sentence: "'\(text)' has too many parts: \(bus.example) is complete")
    }
    self.bus = bus
    path = parts[1]
    speed = try Self.speed(parts.count == 3 ? parts[2] : nil, bus)
  }

  /// The canonical text, which libnfc accepts.
  package var text: String { bus.rawValue + ":" + path + (speed.map { ":" + String($0) } ?? "") }

  private static func speed(_ text: String?, _ bus: Bus) throws(Malformed) -> Int? {
    let number = text.flatMap { isNumber($0) ? Int($0) : nil }
    switch bus {
    case .i2c: return nil
    case .uart:
      guard let text else { return 115_200 }
      if let number, bauds.contains(number) { return number }
      throw Malformed(
        sentence: "'\(text)' is no speed of a serial line; a PN532 uses 115200 unless it was reconfigured")
    case .spi:
      guard let text else { return 50_000 }
      if let number, hertz.contains(number) { return number }
      throw Malformed(
        sentence:
          "'\(text)' is no speed of SPI; from \(hertz.lowerBound) to \(hertz.upperBound) is one, and 50000 is safe"
      )
    }
  }

  private static func isNumber(_ text: String) -> Bool {
    (1...7).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      && text.utf8.first != 0x30
  }

  private static func isPath(_ text: String) -> Bool {
    guard text.utf8.first == 0x2F, (2...maxPathLength).contains(text.utf8.count) else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E, 0x2F, 0x5F: true
      default: false
      }
    }
  }
}
