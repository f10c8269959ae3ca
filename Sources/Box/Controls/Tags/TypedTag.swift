// Assembles a tag's number from the keys that a USB reader types. Pure value; control thread.

import PlaybackModel

/// Assembles letters and digits up to Enter into a tag.
struct TypedTag {
  /// The timeout in nanoseconds after which an unfinished number is dropped.
  static let timeoutNanoseconds: UInt64 = 1_000_000_000

  private var bytes: [UInt8] = []
  private var isTooLong = false
  private var latest: UInt64 = 0

  init() {}

  /// The result of Enter.
  enum End: Hashable {
    case tag(TagID)
    /// Enter without input, or after an invalid number.
    case none
    case tooLong
  }

  /// Handles a key press.
  ///
  /// - Parameters:
  ///   - code: The evdev key code.
  ///   - time: Nanoseconds of CLOCK_MONOTONIC.
  /// - Returns: The result if the key was Enter; nil otherwise.
  mutating func take(_ code: UInt16, at time: UInt64) -> End? {
    if time > latest, time - latest > Self.timeoutNanoseconds { reset() }
    latest = time
    guard code != Self.enter, code != Self.keypadEnter else {
      defer { reset() }
      if isTooLong { return .tooLong }
      return TagID(String(decoding: bytes, as: UTF8.self)).map { .tag($0) } ?? End.none
    }
    guard let byte = Self.byte(code) else { return nil }
    if bytes.count < TagID.maxLength { bytes.append(byte) } else { isTooLong = true }
    return nil
  }

  /// Drops the unfinished number.
  mutating func reset() {
    bytes.removeAll(keepingCapacity: true)
    isTooLong = false
  }

  // Key codes of linux/input-event-codes.h
  static let enter: UInt16 = 28
  private static let keypadEnter: UInt16 = 96
  private static let rows: [(first: UInt16, text: [UInt8])] = [
    (2, Array("1234567890".utf8)), (16, Array("qwertyuiop".utf8)), (30, Array("asdfghjkl".utf8)),
    (44, Array("zxcvbnm".utf8)), (71, Array("789".utf8)), (75, Array("456".utf8)), (79, Array("1230".utf8)),
  ]

  /// The letter or digit of a key on a US keyboard layout, which USB readers use.
  private static func byte(_ code: UInt16) -> UInt8? {
    for row in rows where code >= row.first && Int(code - row.first) < row.text.count {
      return row.text[Int(code - row.first)]
    }
    return nil
  }
}
