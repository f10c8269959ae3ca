// Random access to the bytes of a media file, as the parsers of this module see it. Used by the worker, picture and
// fetcher processes; the parsers are pure otherwise and accept any bytes.

/// A media file, or a part of one in memory. Offsets and sizes have 64 bits also where `Int` has 32.
package protocol ByteSource {
  associatedtype Failure: Error

  /// Reads bytes.
  ///
  /// - Parameters:
  ///   - offset: Bytes from the start of the source; not negative.
  ///   - count: Number of bytes.
  /// - Returns: The bytes; fewer than `count` at the end of the source.
  /// - Throws: If the source cannot be read.
  func bytes(at offset: Int64, count: Int) throws(Failure) -> [UInt8]
}

/// Bytes in memory as a source.
package struct MemorySource: ByteSource {
  private let content: ArraySlice<UInt8>

  package init(_ content: ArraySlice<UInt8>) { self.content = content }
  package init(_ content: [UInt8]) { self.content = content[...] }

  /// Size in bytes.
  package var count: Int64 { Int64(content.count) }

  package func bytes(at offset: Int64, count: Int) throws(Never) -> [UInt8] {
    guard offset >= 0, offset < Int64(content.count) else { return [] }
    return Array(content.dropFirst(Int(offset)).prefix(max(0, count)))
  }
}

extension UInt32 {
  /// The number of up to four ASCII characters, such as the kind of an MP4 box, with the last one in the lowest byte.
  package init(characters: StaticString) {
    self = 0
    for index in 0..<characters.utf8CodeUnitCount { self = self << 8 | UInt32(characters.utf8Start[index]) }
  }
}

// Places are distances from the start of the bytes, also in slices.
extension RandomAccessCollection where Element == UInt8, Index == Int {
  /// A big-endian number.
  ///
  /// - Parameters:
  ///   - place: Index of the first byte, counted from the start.
  ///   - count: Number of bytes, 1 to 8.
  /// - Returns: The number, clamped to `Int64.max`; nil if bytes are missing.
  @inlinable package func big(_ place: Int64, _ count: Int = 4) -> Int64? {
    guard place >= 0, place <= Int64(self.count) - Int64(count) else { return nil }
    var value: UInt64 = 0
    for index in 0..<count { value = value << 8 | UInt64(self[startIndex + Int(place) + index]) }
    return Int64(clamping: value)
  }

  /// A little-endian number.
  ///
  /// - Parameters:
  ///   - place: Index of the first byte, counted from the start.
  ///   - count: Number of bytes, 1 to 8.
  /// - Returns: The number, clamped to `Int64.max`; nil if bytes are missing.
  @inlinable package func little(_ place: Int64, _ count: Int = 4) -> Int64? {
    guard place >= 0, place <= Int64(self.count) - Int64(count) else { return nil }
    var value: UInt64 = 0
    for index in (0..<count).reversed() { value = value << 8 | UInt64(self[startIndex + Int(place) + index]) }
    return Int64(clamping: value)
  }

  /// A number of which each byte contributes its low seven bits (ID3v2.4, 6.2); nil if bytes are missing.
  @inlinable package func synchsafe(_ place: Int64, _ count: Int = 4) -> Int64? {
    guard place >= 0, place <= Int64(self.count) - Int64(count) else { return nil }
    var value: Int64 = 0
    for index in 0..<count { value = value << 7 | Int64(self[startIndex + Int(place) + index] & 0x7F) }
    return value
  }

  /// Whether these ASCII characters are at a place.
  @inlinable package func has(_ letters: StaticString, at place: Int64 = 0) -> Bool {
    guard place >= 0, place <= Int64(count) - Int64(letters.utf8CodeUnitCount) else { return false }
    for index in 0..<letters.utf8CodeUnitCount
    where self[startIndex + Int(place) + index] != letters.utf8Start[index] { return false }
    return true
  }
}
