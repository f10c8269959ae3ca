// Parser for ID3v2.2, 2.3, 2.4 and ID3v1 tags (id3.org), used for MP3, AAC and the ID3 chunks of WAV and
// AIFF.
// Reads frame by frame and skips pictures, so memory use is bounded. Worker process only.

import CodecPlugin

/// An ID3v2 tag, located by its header.
///
/// ```swift
/// let header = try input.bytes(at: 0, count: ID3Tag.headerSize)
/// if let tag = header.withUnsafeBufferPointer({ ID3Tag(header: $0, at: 0) }) {
///   tag.read(from: input, into: description)
/// }
/// ```
public struct ID3Tag {
  /// Size of the whole tag in bytes, including header and footer.
  public let byteCount: Int64
  private let major: UInt8
  private let flags: UInt8
  private let start: Int64

  /// Size of the tag's header in bytes.
  public static var headerSize: Int { 10 }

  /// Parses the header of a tag.
  ///
  /// - Parameters:
  ///   - header: The first `headerSize` bytes of the tag.
  ///   - start: Offset of the header in the file.
  /// - Returns: Nil if the bytes are not an ID3v2 header.
  public init?(header: Bytes, at start: Int64) {
    guard hasMagic(header, "ID3"), header.count >= Self.headerSize, header[3] >= 2, header[3] <= 4 else {
      return nil
    }
    var size: Int64 = 0
    for index in 6..<10 {
      guard header[index] < 0x80 else { return nil }
      size = size << 7 | Int64(header[index])
    }
    major = header[3]
    flags = header[5]
    self.start = start
    byteCount = 10 + size + (major == 4 && flags & 0x10 != 0 ? 10 : 0)
  }

  /// Reads the tag's frames into `description`. Stops silently where the tag is damaged.
  ///
  /// - Parameters:
  ///   - input: The media file; its position afterwards is undefined.
  ///   - description: Receives texts, numbers, gains and chapters that no earlier tag has set.
  public func read(from input: MediaInput, into description: StreamDescription) {
    // ID3v2.4 applies unsynchronisation frame by frame, earlier versions to the whole tag.
    let isUnsynchronised = flags & 0x80 != 0
    var reader = TagBytes(
      input, from: start + 10, to: start + byteCount, unsynchronised: isUnsynchronised && major < 4)
    if flags & 0x40 != 0 {
      guard major > 2, skipExtendedHeader(&reader) else { return }
    }
    description.beginTag()
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4096)
    var date = ID3Date()
    defer {
      buffer.deallocate()
      date.text?.withUnsafeBufferPointer { description.setTextIfEmpty(.date, $0) }
    }
    // Bounds the work on a hostile tag; no tagger writes this many frames.
    for _ in 0..<2048 {
      guard let frame = FrameHeader(&reader, major: major) else { return }
      guard frame.isInteresting else {
        guard reader.skip(frame.size) else { return }
        continue
      }
      let isFrameUnsynchronised = frame.isUnsynchronised || (major == 4 && isUnsynchronised)
      if frame.name == .chapter, frame.size > buffer.count, !isFrameUnsynchronised, !frame.hasDataLength {
        guard readLongChapter(&reader, frame.size, buffer, into: description) else { return }
        continue
      }
      var count = min(frame.size, buffer.count)
      for index in 0..<count {
        guard let byte = reader.next() else { return }
        buffer[index] = byte
      }
      guard reader.skip(frame.size - count) else { return }
      if isFrameUnsynchronised {
        count = removeUnsynchronisation(buffer, count)
      }
      let skipped = frame.hasDataLength ? 4 : 0
      guard count > skipped else { continue }
      apply(frame.name, Bytes(rebasing: Bytes(buffer)[skipped..<count]), to: description, &date)
    }
  }

  private func skipExtendedHeader(_ reader: inout TagBytes) -> Bool {
    guard let size = reader.bigEndian(4, bits: major == 4 ? 7 : 8) else { return false }
    return reader.skip(major == 4 ? max(0, size - 4) : size)
  }

  private func apply(
    _ name: FrameName, _ body: Bytes, to description: StreamDescription, _ date: inout ID3Date
  ) {
    switch name {
    case .relativeVolume:
      applyRelativeVolume(body, to: description)
    case .userText:
      let parts = decodedParts(body)
      guard parts.count >= 2 else { return }
      parts[0].withUnsafeBufferPointer { key in
        parts[1].withUnsafeBufferPointer { _ = description.applyReplayGain(key: key, value: $0) }
      }
    case .date, .dayAndMonth, .time:
      if let text = decodedParts(body).first { date.take(name, text) }
    case .chapter: applyChapter(body, to: description)
    case .disc, .track:
      guard let text = decodedParts(body).first else { return }
      text.withUnsafeBufferPointer {
        if name == .disc {
          description.setDiscNumberIfUnknown($0)
        } else {
          description.setTrackNumberIfUnknown($0)
        }
      }
    case .title, .artist, .album, .albumArtist, .genre:
      // Values are separated by NUL bytes; some taggers do so in version 2.3 too. A slash is part of the
      // text, as in AC/DC.
      for text in decodedParts(body, atMost: Int(SWIFTLET_MAX_VALUES)) {
        text.withUnsafeBufferPointer {
          switch name {
          case .title: description.addText(.title, $0)
          case .artist: description.addText(.artist, $0)
          case .album: description.addText(.album, $0)
          case .albumArtist: description.addText(.albumArtist, $0)
          default: ID3Genres.name(of: $0).withUnsafeBufferPointer { description.addText(.genre, $0) }
          }
        }
      }
    }
  }

  /// Parses a CHAP frame (ID3v2 chapter frame addendum): an ID, start and end in milliseconds and in bytes,
  /// then subframes, of which only TIT2 is read.
  private func applyChapter(_ body: Bytes, to description: StreamDescription) {
    guard let end = body.firstIndex(of: 0), body.count >= end + 17 else { return }
    func number(_ offset: Int, _ count: Int = 4, bits: Int64 = 8) -> Int64 {
      (0..<count).reduce(0) { $0 << bits | Int64(body[offset + $1]) }
    }
    let (start, stop) = (number(end + 1), number(end + 5))
    // All bits set means that the frame gives only byte offsets.
    guard start < Self.unknownTime else { return }
    var title: [UInt8] = []
    var index = end + 17
    while index + 10 <= body.count, title.isEmpty {
      let size = number(index + 4, bits: major == 4 ? 7 : 8)
      let (id, format) = (UInt32(number(index)), body[index + 9])
      index += 10
      guard size > 0, size <= Int64(body.count - index) else { break }
      let content = Bytes(rebasing: body[index..<index + Int(size)])
      // Skips titles with format flags (compression, encryption).
      if FrameName(id) == .title, format == 0 { title = decodedParts(content).first ?? [] }
      index += Int(size)
    }
    title.withUnsafeBufferPointer {
      description.addChapter(
        start: start, end: stop < Self.unknownTime && stop > start ? stop : nil, title: $0)
    }
  }

  /// Reads a CHAP frame longer than the buffer: copies its times and title, skips other subframes such as
  /// pictures.
  ///
  /// - Returns: False if the tag ends before the frame does.
  private func readLongChapter(
    _ reader: inout TagBytes, _ size: Int, _ buffer: UnsafeMutableBufferPointer<UInt8>,
    into description: StreamDescription
  ) -> Bool {
    var (left, count) = (size, 0)
    /// Appends bytes of the frame to the buffer. Returns false if the frame or the buffer is too short.
    func append(_ wanted: Int) -> Bool {
      guard wanted <= left, wanted <= buffer.count - count else { return false }
      for _ in 0..<wanted {
        guard let byte = reader.next() else { return false }
        buffer[count] = byte
        count += 1
        left -= 1
      }
      return true
    }
    repeat { guard append(1) else { return reader.skip(left) } } while buffer[count - 1] != 0
    guard append(16) else { return reader.skip(left) }
    for _ in 0..<Self.maxChapterFrames {
      let head = count
      guard append(10) else { break }
      let length = (head + 4..<head + 8).reduce(0) { $0 << (major == 4 ? 7 : 8) | Int64(buffer[$1]) }
      let id = (head..<head + 4).reduce(UInt32(0)) { $0 << 8 | UInt32(buffer[$1]) }
      guard length > 0, length <= Int64(left) else { break }
      if FrameName(id) == .title, buffer[head + 9] == 0 {
        guard append(Int(length)) else { break }
        applyChapter(Bytes(rebasing: Bytes(buffer)[..<count]), to: description)
        return reader.skip(left)
      }
      count = head
      guard reader.skip(Int(length)) else { return false }
      left -= Int(length)
    }
    applyChapter(Bytes(rebasing: Bytes(buffer)[..<count]), to: description)
    return reader.skip(left)
  }

  /// Maximum number of subframes of one chapter that are skipped while looking for the title.
  private static var maxChapterFrames: Int { 64 }

  private static var unknownTime: Int64 { 0xFFFF_FFFF }

  /// Parses an RVA2 frame (ID3v2.4, 4.11): an ID, then channels; channel 1 is the master volume in units of
  /// 1/512 dB.
  private func applyRelativeVolume(_ body: Bytes, to description: StreamDescription) {
    guard let end = body.firstIndex(of: 0) else { return }
    let scope: StreamDescription.GainScope =
      matches(Bytes(rebasing: body[..<end]), "album") ? .album : .track
    var index = end + 1
    while index + 3 < body.count {
      let peakBits = Int(body[index + 3])
      if body[index] == 1 {
        let value = Int16(bitPattern: UInt16(body[index + 1]) << 8 | UInt16(body[index + 2]))
        description.setGainIfUnknown(scope, Float(value) / 512)
        return
      }
      index += 4 + (peakBits + 7) / 8
    }
  }
}

/// The frames that are read, by their IDs in ID3v2.3/2.4 and in ID3v2.2.
private enum FrameName {
  case title, artist, album, albumArtist, genre, date, dayAndMonth, time, disc, track, userText
  case relativeVolume, chapter

  init?(_ id: UInt32) {
    switch id {
    case 0x5449_5432, 0x0054_5432: self = .title  // TIT2, TT2
    case 0x5450_4531, 0x0054_5031: self = .artist  // TPE1, TP1
    case 0x5441_4C42, 0x0054_414C: self = .album  // TALB, TAL
    case 0x5450_4532, 0x0054_5032: self = .albumArtist  // TPE2, TP2
    case 0x5443_4F4E, 0x0054_434F: self = .genre  // TCON, TCO
    case 0x5444_5243, 0x5459_4552, 0x0054_5945: self = .date  // TDRC, TYER, TYE
    case 0x5444_4154, 0x0054_4441: self = .dayAndMonth  // TDAT, TDA
    case 0x5449_4D45, 0x0054_494D: self = .time  // TIME, TIM
    case 0x5450_4F53, 0x0054_5041: self = .disc  // TPOS, TPA
    case 0x5452_434B, 0x0054_524B: self = .track  // TRCK, TRK
    case 0x5458_5858, 0x0054_5858: self = .userText  // TXXX, TXX
    case 0x5256_4132: self = .relativeVolume  // RVA2
    case 0x4348_4150: self = .chapter  // CHAP
    default: return nil
    }
  }
}

/// Collects the date frames of a tag: one text in ID3v2.4; year, day and time in separate frames before. Any
/// order.
private struct ID3Date {
  private var date: [UInt8]?
  private var dayAndMonth: [UInt8]?
  private var time: [UInt8]?

  /// Stores the text of a date frame. The first frame of each name wins.
  mutating func take(_ name: FrameName, _ text: [UInt8]) {
    switch name {
    case .date: date = date ?? text
    case .dayAndMonth: dayAndMonth = dayAndMonth ?? text
    case .time: time = time ?? text
    default: break
    }
  }

  /// The date as `1999`, `1999-03-24` or `1999-03-24T12:30`; nil without a year.
  var text: [UInt8]? {
    guard let date, date.count == 4, Self.number(date[...]) != nil, let pair = dayAndMonth,
      let (day, month) = Self.pair(pair), (1...31).contains(day), (1...12).contains(month)
    else { return date }
    let whole = date + [0x2D] + pair[2...] + [0x2D] + pair[..<2]
    guard let time, let (hour, minute) = Self.pair(time), hour < 24, minute < 60 else { return whole }
    return whole + [0x54] + time[..<2] + [0x3A] + time[2...]
  }

  /// Parses four digits as two numbers, such as `2403`.
  private static func pair(_ text: [UInt8]) -> (Int, Int)? {
    guard text.count == 4, let first = number(text[..<2]), let second = number(text[2...]) else { return nil }
    return (first, second)
  }

  /// Parses a number of at most four digits.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard digits.count <= 4, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}

/// The header of one ID3v2 frame.
private struct FrameHeader {
  let nameOrNil: FrameName?
  let size: Int
  let isUnsynchronised: Bool
  let hasDataLength: Bool
  let isReadable: Bool

  var isInteresting: Bool { nameOrNil != nil && isReadable }
  var name: FrameName { nameOrNil ?? .title }

  /// Reads the next frame's header. Nil at the padding or at the end of the tag.
  init?(_ reader: inout TagBytes, major: UInt8) {
    let nameLength = major == 2 ? 3 : 4
    guard let id = reader.bigEndian(nameLength, bits: 8), id != 0,
      let size = reader.bigEndian(nameLength, bits: major == 4 ? 7 : 8)
    else { return nil }
    nameOrNil = FrameName(UInt32(truncatingIfNeeded: id))
    self.size = size
    guard major > 2 else {
      (isUnsynchronised, hasDataLength, isReadable) = (false, false, true)
      return
    }
    guard reader.next() != nil, let format = reader.next() else { return nil }
    isUnsynchronised = major == 4 && format & 0x02 != 0
    hasDataLength = major == 4 && format & 0x01 != 0
    // Compressed, encrypted and grouped frames are not supported.
    isReadable = major == 4 ? format & 0x4C == 0 : format & 0xE0 == 0
  }
}

/// Decodes the texts of a frame to UTF-8. The first byte is the encoding; texts are separated by NUL.
private func decodedParts(_ body: Bytes, atMost limit: Int = 2) -> [[UInt8]] {
  guard let encoding = body.first else { return [] }
  let text = Bytes(rebasing: body[1...])
  var whole: [UInt8]
  switch encoding {
  case 0: whole = utf8(fromLatin1: text)
  case 1, 2:
    // Each text begins with a byte order mark. The first selects the byte order; later ones decode to U+FEFF,
    // removed below.
    whole = utf8(fromUTF16: text, bigEndian: encoding == 2)
  default: whole = Array(text)
  }
  whole.append(0)
  var parts: [[UInt8]] = []
  var part: [UInt8] = []
  for byte in whole {
    if byte != 0 {
      part.append(byte)
      continue
    }
    if part.count >= 3, part[0] == 0xEF, part[1] == 0xBB, part[2] == 0xBF { part.removeFirst(3) }
    parts.append(part)
    if parts.count == limit { break }
    part = []
  }
  return parts
}

/// Replaces every FF 00 pair with FF, in place.
///
/// - Returns: The number of bytes that remain.
private func removeUnsynchronisation(_ buffer: UnsafeMutableBufferPointer<UInt8>, _ count: Int) -> Int {
  var kept = 0
  var previous: UInt8 = 0
  for index in 0..<count {
    let byte = buffer[index]
    if !(previous == 0xFF && byte == 0) {
      buffer[kept] = byte
      kept += 1
    }
    previous = byte
  }
  return kept
}

extension StreamDescription {
  /// Reads an ID3v1 tag into the fields that no other tag has filled.
  ///
  /// - Parameter tag: The last 128 bytes of the file; ignored if they are not a tag.
  public func applyID3v1(_ tag: Bytes) {
    guard tag.count == 128, hasMagic(tag, "TAG") else { return }
    func field(_ start: Int, _ count: Int) -> Bytes {
      let bytes = tag[start..<(start + count)]
      return Bytes(rebasing: bytes[..<(bytes.firstIndex(of: 0) ?? bytes.endIndex)])
    }
    setGuessedTextIfEmpty(.title, field(3, 30))
    setGuessedTextIfEmpty(.artist, field(33, 30))
    setGuessedTextIfEmpty(.album, field(63, 30))
    setGuessedTextIfEmpty(.date, field(93, 4))
    if let genre = ID3Genres.name(Int(tag[127])) {
      genre.withUnsafeBufferPointer { setTextIfEmpty(.genre, $0) }
    }
    // ID3v1.1: if the byte before the comment's last is zero, the last byte is the track number.
    if tag[125] == 0, raw.pointee.track_number == 0 { raw.pointee.track_number = UInt32(tag[126]) }
  }
}
