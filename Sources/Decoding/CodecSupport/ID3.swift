// Reads ID3v2 and ID3v1 tags (id3.org) of MP3 and AAC files and of the ID3 chunks of WAV and AIFF into a stream's
// description. Worker process only.

import CodecPlugin
import MediaFormats

/// An ID3v2 tag, located by its header.
///
/// ```swift
/// let header = try input.bytes(at: 0, count: ID3Tag.headerSize)
/// if let tag = header.withUnsafeBufferPointer({ ID3Tag(header: $0, at: 0) }) {
///   tag.read(from: input, into: description)
/// }
/// ```
public struct ID3Tag {
  private let header: ID3Header
  private let start: Int64

  /// Size of the whole tag in bytes, including header and footer.
  public var byteCount: Int64 { header.tagSize }
  /// Size of the tag's header in bytes.
  public static var headerSize: Int { ID3Header.size }
  /// Maximum size of a frame's content in bytes; longer texts are cut.
  private static var maxContent: Int { 4096 }

  /// Parses the header of a tag.
  ///
  /// - Parameters:
  ///   - header: The first `headerSize` bytes of the tag.
  ///   - start: Offset of the header in the file.
  /// - Returns: Nil if the bytes are not an ID3v2 header.
  public init?(header: Bytes, at start: Int64) {
    guard let header = ID3Header(header) else { return nil }
    self.header = header
    self.start = start
  }

  /// Reads the tag's frames into `description`. Stops silently where the tag is damaged.
  ///
  /// - Parameters:
  ///   - input: The media file; its position afterwards is undefined.
  ///   - description: Receives texts, numbers, gains and chapters that no earlier tag has set.
  public func read(from input: MediaInput, into description: StreamDescription) {
    description.beginTag()
    var date = ID3Date()
    var frames = ID3Frames(header, at: start, in: input)
    while let frame = frames.next() {
      guard let name = FrameName(frame.id) else { continue }
      if name == .chapter {
        readChapter(&frames, into: description)
      } else if let content = frames.content(atMost: Self.maxContent) {
        content.withUnsafeBufferPointer { apply(name, $0, to: description, &date) }
      }
    }
    date.text?.withUnsafeBufferPointer { description.setTextIfEmpty(.date, $0) }
  }

  private func apply(
    _ name: FrameName, _ body: Bytes, to description: StreamDescription, _ date: inout ID3Date
  ) {
    switch name {
    case .relativeVolume:
      applyRelativeVolume(body, to: description)
    case .userText:
      let parts = ID3Text.values(body)
      guard parts.count >= 2 else { return }
      parts[0].withUnsafeBufferPointer { key in
        parts[1].withUnsafeBufferPointer { _ = description.applyReplayGain(key: key, value: $0) }
      }
    case .date, .dayAndMonth, .time:
      if let text = ID3Text.values(body).first { date.take(name, text) }
    case .chapter: break
    case .disc, .track:
      guard let text = ID3Text.values(body).first else { return }
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
      for text in ID3Text.values(body, atMost: Int(SWIFTLET_MAX_VALUES)) {
        text.withUnsafeBufferPointer {
          switch name {
          case .title: description.addText(.title, $0)
          case .artist: description.addText(.artist, $0)
          case .album: description.addText(.album, $0)
          case .albumArtist: description.addText(.albumArtist, $0)
          default:
            for name in ID3Genres.names(of: $0) {
              name.withUnsafeBufferPointer { description.addText(.genre, $0) }
            }
          }
        }
      }
    }
  }

  /// Reads a CHAP frame (ID3v2 chapter frame addendum): an ID, start and end in milliseconds and in bytes,
  /// then subframes, of which only TIT2 is read. Subframes such as pictures are skipped in the file.
  private func readChapter(_ frames: inout ID3Frames<MediaInput>, into description: StreamDescription) {
    var head = frames.peek(Self.maxContent)
    let isInFile = !head.isEmpty
    if !isInFile { head = frames.content(atMost: Self.maxContent) ?? [] }
    guard let end = head.firstIndex(of: 0), head.count >= end + 17,
      let start = head.big(Int64(end) + 1), let stop = head.big(Int64(end) + 5)
    else { return }
    // All bits set means that the frame gives only byte offsets.
    guard start < Self.unknownTime else { return }
    let fields = Int64(end) + 17
    let title: [UInt8]
    if isInFile {
      title = frames.frames(after: fields).map(Self.title) ?? []
    } else {
      title = Self.title(of: ID3Frames(ofChapter: head, after: fields, major: header.major))
    }
    title.withUnsafeBufferPointer {
      description.addChapter(
        start: start, end: stop < Self.unknownTime && stop > start ? stop : nil, title: $0)
    }
  }

  private static func title<Source>(of frames: ID3Frames<Source>) -> [UInt8] {
    var frames = frames
    for _ in 0..<maxChapterFrames {
      guard let frame = frames.next() else { return [] }
      guard FrameName(frame.id) == .title, let content = frames.content(atMost: maxContent) else { continue }
      return content.withUnsafeBufferPointer { ID3Text.values($0).first ?? [] }
    }
    return []
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
