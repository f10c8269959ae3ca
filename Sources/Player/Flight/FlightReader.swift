// Reads the records of a flight recorder's memory after a crash or power cut. Tolerates torn, truncated and
// overwritten slots and counts them. Pure; any thread; never traps.

/// An iterator over the records in a copy of a recorder's memory, oldest first.
package struct FlightReader: Sendable {
  /// The header; nil if the bytes are not a recording of this version.
  package let header: FlightHeader?
  /// The number of unreadable slots between the oldest and the newest record.
  package private(set) var damaged = 0
  /// The number of slots that newer records have overwritten.
  package private(set) var overwritten: UInt64 = 0
  private let bytes: [UInt8]
  private var slots: [(sequence: UInt64, offset: Int)] = []
  private var place = 0

  /// Scans bytes that may have any content.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    header = FlightHeader(bytes)
    guard let header else { return }
    let capacity = UInt64(header.size / FlightRecord.slotBytes - 1)
    var offset = FlightHeader.byteCount
    while offset + FlightRecord.slotBytes <= min(bytes.count, header.size) {
      // A slot is valid only at the place that its sequence number maps to.
      if let sequence = sequence(at: offset),
        Int(sequence % capacity) == offset / FlightRecord.slotBytes - 1
      {
        slots.append((sequence, offset))
      }
      offset += FlightRecord.slotBytes
    }
    slots.sort { $0.sequence < $1.sequence }
    guard let newest = slots.last?.sequence else { return }
    let oldest = newest >= capacity ? newest - capacity + 1 : 1
    slots.removeAll { $0.sequence < oldest }
    overwritten = oldest - 1
    damaged = Int(min(newest - oldest + 1, capacity)) - slots.count
  }

  /// The next record, or nil at the end.
  package mutating func next() -> FlightRecord? {
    while place < slots.count {
      let (sequence, offset) = slots[place]
      place += 1
      guard let kind = FlightKind(rawValue: bytes[offset + 4]), kind != .text else { continue }
      func word(_ number: Int) -> Int64 { Int64(bitPattern: read(offset + 24 + 8 * number)) }
      let text = text(bytes[offset + 5], after: sequence)
      return FlightRecord(
        kind: kind, sequence: sequence, time: read(offset + 16),
        words: FlightWords(word(0), word(1), word(2), word(3), word(4)), text: text)
    }
    return nil
  }

  private mutating func text(_ length: UInt8, after sequence: UInt64) -> String {
    var rest = Int(length)
    var text: [UInt8] = []
    var wanted = sequence + 1
    while rest > 0, place < slots.count, slots[place].sequence == wanted {
      let offset = slots[place].offset
      guard bytes[offset + 4] == FlightKind.text.rawValue else { break }
      let count = min(rest, FlightRecord.textBytes)
      text += bytes[(offset + 24)..<(offset + 24 + count)]
      rest -= count
      wanted += 1
      place += 1
    }
    // Control characters can only come from damage and would break the line format.
    return String(decoding: text.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
  }

  /// The sequence number of an intact slot; nil if the slot is empty or damaged.
  private func sequence(at offset: Int) -> UInt64? {
    let isIntact = bytes.withUnsafeBytes { all in
      guard let slot = all.baseAddress.map({ $0 + offset }) else { return false }
      return slot.loadUnaligned(as: UInt32.self).littleEndian == FlightSlot.checksum(slot)
    }
    let sequence = read(offset + 8)
    return isIntact && sequence > 0 && sequence < 1 << 62 ? sequence : nil
  }

  private func read(_ offset: Int) -> UInt64 {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian }
  }
}
