// A flight record and the layout of its 64-byte slot. Pure; any thread; writing does not allocate.

/// One decoded record.
package struct FlightRecord: Hashable, Sendable {
  /// The word that marks an unknown value.
  package static let unknown = Int64.min
  /// Maximum length of a text in bytes. Of a longer text the end is kept, since paths end with the names.
  package static let maxTextLength = 200
  static let slotBytes = 64
  static let textBytes = 40

  /// The record's kind, which defines its fields.
  package var kind: FlightKind
  /// The number of the record's first slot, counted from 1.
  package var sequence: UInt64
  /// Time in nanoseconds of the engine's clock.
  package var time: UInt64
  /// The five words, laid out as `FlightKind.fields` describes.
  package var words: FlightWords
  /// The record's text; empty for most kinds.
  package var text: String

  /// The value of a field; nil if it is unknown.
  package func value(_ field: FlightField) -> Int64? {
    let word = words[field.word]
    guard let byte = field.byte else { return word == Self.unknown ? nil : word }
    let code = word >> Int64(8 * byte) & 0xFF
    return code == 0xFF ? nil : code
  }
}

/// The five 64-bit words of a record.
package struct FlightWords: Hashable, Sendable {
  private var storage: (Int64, Int64, Int64, Int64, Int64)

  /// Creates words; omitted ones are unknown.
  package init(
    _ a: Int64 = FlightRecord.unknown, _ b: Int64 = FlightRecord.unknown, _ c: Int64 = FlightRecord.unknown,
    _ d: Int64 = FlightRecord.unknown, _ e: Int64 = FlightRecord.unknown
  ) {
    storage = (a, b, c, d, e)
  }

  /// The word at an index, 0 to 4.
  package subscript(place: Int) -> Int64 {
    switch place {
    case 0: storage.0
    case 1: storage.1
    case 2: storage.2
    case 3: storage.3
    default: storage.4
    }
  }

  package static func == (left: FlightWords, right: FlightWords) -> Bool { left.storage == right.storage }

  package func hash(into hasher: inout Hasher) {
    for place in 0..<5 { hasher.combine(self[place]) }
  }

  /// Packs one-byte codes into a word, the first in the lowest byte; nil is stored as unknown (0xFF).
  static func codes(_ a: UInt8?, _ b: UInt8? = nil, _ c: UInt8? = nil, _ d: UInt8? = nil, _ e: UInt8? = nil)
    -> Int64
  {
    var word = Int64(e ?? 0xFF)
    word = word << 8 | Int64(d ?? 0xFF)
    word = word << 8 | Int64(c ?? 0xFF)
    word = word << 8 | Int64(b ?? 0xFF)
    return word << 8 | Int64(a ?? 0xFF)
  }
}

/// Slot layout: checksum (4 bytes), kind (1), text length (1), padding (2), sequence (8), time (8), then five words
/// or text (40).
enum FlightSlot {
  /// Writes a record's slot. The checksum is written last, so that a slot torn by a crash is invalid.
  static func write(
    _ kind: FlightKind, textLength: Int, sequence: UInt64, time: UInt64, _ words: FlightWords,
    at slot: UnsafeMutableRawPointer
  ) {
    slot.storeBytes(of: 0, as: UInt32.self)
    begin(kind, textLength, sequence, time, slot)
    for place in 0..<5 {
      slot.storeBytes(of: words[place].littleEndian, toByteOffset: 24 + 8 * place, as: Int64.self)
    }
    commit(slot)
  }

  /// Writes a continuation slot with a part of a record's text.
  static func write(
    text: some Collection<UInt8>, sequence: UInt64, time: UInt64, at slot: UnsafeMutableRawPointer
  ) {
    slot.storeBytes(of: 0, as: UInt32.self)
    begin(.text, text.count, sequence, time, slot)
    var offset = 24
    for byte in text.prefix(FlightRecord.textBytes) {
      slot.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
      offset += 1
    }
    while offset < FlightRecord.slotBytes {
      slot.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
      offset += 1
    }
    commit(slot)
  }

  private static func begin(
    _ kind: FlightKind, _ textLength: Int, _ sequence: UInt64, _ time: UInt64, _ slot: UnsafeMutableRawPointer
  ) {
    slot.storeBytes(of: kind.rawValue, toByteOffset: 4, as: UInt8.self)
    slot.storeBytes(of: UInt8(clamping: textLength), toByteOffset: 5, as: UInt8.self)
    slot.storeBytes(of: 0, toByteOffset: 6, as: UInt16.self)
    slot.storeBytes(of: sequence.littleEndian, toByteOffset: 8, as: UInt64.self)
    slot.storeBytes(of: time.littleEndian, toByteOffset: 16, as: UInt64.self)
  }

  private static func commit(_ slot: UnsafeMutableRawPointer) {
    slot.storeBytes(of: checksum(UnsafeRawPointer(slot)).littleEndian, as: UInt32.self)
  }

  /// Hash of all bytes after the checksum. Never 0, so that a zeroed slot is invalid.
  static func checksum(_ slot: UnsafeRawPointer) -> UInt32 {
    var mixed =
      UInt64(slot.loadUnaligned(fromByteOffset: 4, as: UInt32.self).littleEndian) &+ 0x9E37_79B9_7F4A_7C15
    for offset in stride(from: 8, to: FlightRecord.slotBytes, by: 8) {
      mixed =
        (mixed ^ slot.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
        &* 0xD6E8_FEB8_6659_FD93
      mixed ^= mixed >> 32
    }
    return UInt32(truncatingIfNeeded: mixed) | 1
  }
}
