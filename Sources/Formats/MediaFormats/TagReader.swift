// A bounded, buffered reader of the bytes of a tag. Treats a failed read as the end of the tag.

/// Reads the bytes of [start, end) one by one, and optionally undoes ID3 unsynchronisation.
struct TagReader<Source: ByteSource> {
  private let source: Source
  /// Offset in the source of the first buffered byte.
  private var bufferStart: Int64
  let end: Int64
  let isUnsynchronised: Bool
  private var buffer: [UInt8] = []
  private var index = 0
  private var previous: UInt8 = 0

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - start: Offset of the first byte.
  ///   - end: Offset after the last byte.
  ///   - unsynchronised: Whether a zero byte after each 0xFF is removed. Such a tag cannot be skipped by seeking.
  ///   - limit: Maximum number of bytes read from an unsynchronised tag.
  init(
    _ source: Source, from start: Int64, to end: Int64, unsynchronised: Bool = false, limit: Int64 = .max
  ) {
    self.source = source
    bufferStart = start
    self.end = unsynchronised && end - start > limit ? start + limit : end
    isUnsynchronised = unsynchronised
  }

  /// Offset in the source of the next byte.
  var offset: Int64 { bufferStart + Int64(index) }

  /// The next byte; nil at the end.
  mutating func next() -> UInt8? {
    guard let byte = raw() else { return nil }
    guard isUnsynchronised, previous == 0xFF, byte == 0 else {
      previous = byte
      return byte
    }
    guard let following = raw() else { return nil }
    previous = following
    return following
  }

  /// The next bytes; nil if the range ends before the last one.
  mutating func take(_ count: Int) -> [UInt8]? {
    guard isUnsynchronised else {
      guard Int64(count) <= end - offset else { return nil }
      var bytes = Array(buffer[index...].prefix(count))
      if bytes.count < count { bytes += read(at: offset + Int64(bytes.count), count - bytes.count) }
      return bytes.count == count && skip(Int64(count)) ? bytes : nil
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Swift.min(count, 1 << 16))
    for _ in 0..<count {
      guard let byte = next() else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  /// Skips bytes. Returns false if the range ends first.
  mutating func skip(_ count: Int64) -> Bool {
    guard count > 0 else { return count == 0 }
    guard !isUnsynchronised else {
      var left = count
      while left > 0 {
        guard next() != nil else { return false }
        left -= 1
      }
      return true
    }
    if count <= Int64(buffer.count - index) {
      index += Int(count)
      return true
    }
    guard count <= end - offset else { return false }
    bufferStart = offset + count
    index = 0
    buffer.removeAll(keepingCapacity: true)
    return true
  }

  /// Bytes at a distance from the next one, without advancing; fewer at the end. Not for unsynchronised tags.
  func peek(_ distance: Int64, _ count: Int) -> [UInt8] {
    let place = offset + distance
    guard distance >= 0, place < end else { return [] }
    return read(at: place, Int(Swift.min(Int64(count), end - place)))
  }

  private mutating func raw() -> UInt8? {
    if index == buffer.count {
      bufferStart += Int64(buffer.count)
      index = 0
      buffer = read(at: bufferStart, Int(Swift.min(2048, Swift.max(0, end - bufferStart))))
      guard !buffer.isEmpty else { return nil }
    }
    defer { index += 1 }
    return buffer[index]
  }

  private func read(at place: Int64, _ count: Int) -> [UInt8] {
    guard count > 0 else { return [] }
    do throws(Source.Failure) {
      return try source.bytes(at: place, count: count)
    } catch {
      return []
    }
  }
}
