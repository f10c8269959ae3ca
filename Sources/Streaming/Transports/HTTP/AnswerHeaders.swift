// Parser for the header lines of an HTTP or Shoutcast response. Pure; fetcher process only. The input is
// untrusted.

import TransportPlugin

/// The headers of the latest response. A status line resets them, as after a redirect.
struct AnswerHeaders {
  private(set) var answer = Self.none
  /// Total size of all headers since `init`, in bytes.
  private(set) var bytes = 0
  private var contentLength: Int64 = -1
  private var hasStrongTag = false
  /// Whether the body is compressed, so that its length and offsets are not those of the content.
  private var isEncoded = false

  private static var none: swiftlet_transport_answer {
    var answer = swiftlet_transport_answer()
    answer.first = -1
    answer.length = -1
    return answer
  }

  /// Parses one line, with or without line ending.
  mutating func take(_ line: UnsafeBufferPointer<UInt8>) {
    bytes += line.count
    var line = line[...]
    while let last = line.last, last == 0x0D || last == 0x0A || last == 0x20 || last == 0x09 {
      line.removeLast()
    }
    if starts(line, "http/") || starts(line, "icy ") {
      let kept = bytes
      self = AnswerHeaders()
      bytes = kept
      return
    }
    guard let colon = line.firstIndex(of: 0x3A) else { return }
    let name = line[..<colon]
    var value = line[(colon + 1)...]
    while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
    take(name, value)
  }

  private mutating func take(
    _ name: Slice<UnsafeBufferPointer<UInt8>>, _ value: Slice<UnsafeBufferPointer<UInt8>>
  ) {
    if starts(name, "icy-") { answer.is_station = 1 }
    if isSame(name, "content-length") {
      contentLength = Self.number(value) ?? -1
    } else if isSame(name, "content-encoding") {
      isEncoded = !isSame(value, "identity")
    } else if isSame(name, "content-range") {
      takeRange(value)
    } else if isSame(name, "accept-ranges") {
      answer.accepts_ranges = isSame(value, "bytes") ? 1 : 0
    } else if isSame(name, "content-type") {
      Self.copy(value, to: &answer.content_type)
    } else if isSame(name, "etag") {
      // A weak ETag does not guarantee identical bytes (RFC 9110, section 13.1.5).
      guard value.first == 0x22 else { return }
      hasStrongTag = true
      Self.copyWhole(value, to: &answer.validator)
    } else if isSame(name, "last-modified") {
      if !hasStrongTag { Self.copyWhole(value, to: &answer.validator) }
    } else if isSame(name, "icy-metaint") {
      answer.title_interval = Self.number(value) ?? 0
    } else if isSame(name, "icy-name") {
      Self.copy(value, to: &answer.station)
    }
  }

  /// Parses `bytes FIRST-LAST/LENGTH`, where the length may be `*`.
  private mutating func takeRange(_ value: Slice<UnsafeBufferPointer<UInt8>>) {
    guard starts(value, "bytes "), let dash = value.firstIndex(of: 0x2D),
      let slash = value.firstIndex(of: 0x2F), dash < slash
    else { return }
    answer.first = Self.number(value[(value.startIndex + 6)..<dash]) ?? -1
    answer.length = Self.number(value[(slash + 1)...]) ?? -1
  }

  /// The response for the host.
  func finished(status: Int) -> swiftlet_transport_answer {
    var answer = answer
    answer.status = Int32(clamping: status)
    if status == 206 {
      answer.accepts_ranges = 1
    } else {
      answer.first = 0
      answer.length = contentLength
    }
    if isEncoded { (answer.accepts_ranges, answer.length) = (0, -1) }
    return answer
  }

  private func starts(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ small: StaticString) -> Bool {
    bytes.count >= small.utf8CodeUnitCount && isSame(bytes.prefix(small.utf8CodeUnitCount), small)
  }

  private func isSame(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ small: StaticString) -> Bool {
    guard bytes.count == small.utf8CodeUnitCount else { return false }
    var index = 0
    for byte in bytes {
      let folded = byte >= 0x41 && byte <= 0x5A ? byte + 32 : byte
      if folded != small.utf8Start[index] { return false }
      index += 1
    }
    return true
  }

  private static func number(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int64? {
    guard !bytes.isEmpty, bytes.count <= 18 else { return nil }
    var number: Int64 = 0
    for byte in bytes {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      number = number * 10 + Int64(byte - 0x30)
    }
    return number
  }

  private static func copy<Field>(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, to field: inout Field) {
    withUnsafeMutableBytes(of: &field) { place in
      for index in 0..<place.count { place[index] = 0 }
      var index = 0
      for byte in bytes where index < place.count - 1 {
        place[index] = byte
        index += 1
      }
    }
  }

  /// Copies a text that fits, and ignores a longer one, because a truncated validator would be useless.
  private static func copyWhole<Field>(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, to field: inout Field) {
    guard bytes.count < MemoryLayout<Field>.size else { return }
    copy(bytes, to: &field)
  }
}
