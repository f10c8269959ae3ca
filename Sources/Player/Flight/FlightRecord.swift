// One record and its slot of 64 bytes. Pure; any thread; writing allocates nothing.

/// Something that was recorded.
package struct FlightRecord: Hashable, Sendable {
  /// Stands for a value that is not known.
  package static let unknown = Int64.min
  /// The longest text, in bytes; of a longer one the end is kept, where names are.
  package static let maxTextLength = 200
  static let slotBytes = 64
  static let textBytes = 40

  /// What it tells.
  package var kind: FlightKind
  /// Counts slots from 1.
  package var sequence: UInt64
  /// Nanoseconds of the engine's clock.
  package var time: UInt64
  /// The five words that `FlightKind.fields` explains.
  package var words: FlightWords
  /// Its text; empty for most kinds.
  package var text: String

  /// A field's value; nil where it is not known.
  package func value(_ field: FlightField) -> Int64? {
    let word = words[field.word]
    guard let byte = field.byte else { return word == Self.unknown ? nil : word }
    let code = word >> Int64(8 * byte) & 0xFF
    return code == 0xFF ? nil : code
  }
}

/// The five words of a record.
package struct FlightWords: Hashable, Sendable {
  private var storage: (Int64, Int64, Int64, Int64, Int64)

  /// Words; those left out are not known.
  package init(
    _ a: Int64 = FlightRecord.unknown, _ b: Int64 = FlightRecord.unknown, _ c: Int64 = FlightRecord.unknown,
    _ d: Int64 = FlightRecord.unknown, _ e: Int64 = FlightRecord.unknown
  ) {
    storage = (a, b, c, d, e)
  }

  /// A word by its place.
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

  /// Codes of one byte, packed into a word; nil is not known.
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

/// Where things are in a slot: checksum, kind, length of text, sequence, time, words or text.
enum FlightSlot {
  /// Writes a slot. The checksum goes last, so that what a crash tears does not count.
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

  /// Writes a part of a text.
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

  /// Of everything behind the checksum; never 0, which an empty slot has.
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
