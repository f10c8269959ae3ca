// Reads and writes the first slot of the flight recorder's memory: format check, salt, size, and whether the
// recording ended cleanly. Pure functions; any thread.

/// The header of a recorder's memory, in its first slot.
package struct FlightHeader: Hashable, Sendable {
  /// Size of the header in bytes.
  package static let byteCount = FlightRecord.slotBytes
  private static let magic: UInt64 = 0x3154_4847_4C46_5753  // SWFLGHT1

  /// The salt of short names.
  package var salt: UInt64
  /// Size of the memory in bytes, header included.
  package var size: Int
  /// Whether the recording was not ended cleanly: the daemon is running, or has crashed.
  package var isUnderWay: Bool
  /// Start time of the recording in nanoseconds of the engine's clock.
  package var started: UInt64

  init(salt: UInt64, size: Int, isUnderWay: Bool, started: UInt64) {
    self.salt = salt
    self.size = size
    self.isUnderWay = isUnderWay
    self.started = started
  }

  /// Parses a header; nil if another version or program wrote the bytes.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.byteCount else { return nil }
    func word(_ place: Int) -> UInt64 {
      var value: UInt64 = 0
      for i in 0..<8 { value |= UInt64(bytes[8 * place + i]) << UInt64(8 * i) }
      return value
    }
    let size = word(4)
    guard word(0) == Self.magic, word(1) == FlightKind.fingerprint, size >= UInt64(2 * Self.byteCount),
      size <= UInt64(FlightRecorder.maxSize), size % UInt64(FlightRecord.slotBytes) == 0
    else { return nil }
    self.init(salt: word(2), size: Int(size), isUnderWay: word(3) != 0, started: word(5))
  }

  func write(to base: UnsafeMutableRawPointer) {
    let words = [
      Self.magic, FlightKind.fingerprint, salt, isUnderWay ? 1 : 0, UInt64(size), started, 0, 0,
    ]
    for (place, word) in words.enumerated() {
      base.storeBytes(of: word.littleEndian, toByteOffset: 8 * place, as: UInt64.self)
    }
  }
}
