// Selects the audio track of an MP4 file and its decoder configuration. Pure; fetcher process, in its
// sandbox.

import Platform

/// The first AAC track.
struct MovieTrack {
  let number: UInt32
  let header: ADTSHeader
  /// Default size of a frame in bytes.
  let frameSize: Int64

  /// Parses a `moov` box.
  init(movie: ArraySlice<UInt8>) throws(FetchFailure) {
    var reason: FetchFailure?
    for track in MovieBox.all(MovieBox.trak, in: movie) {
      guard let number = Self.number(of: track), let entry = Self.entry(of: track) else { continue }
      do throws(FetchFailure) {
        header = try Self.header(entry)
        (self.number, frameSize) = (number, Self.frameSize(of: number, in: movie))
        return
      } catch {
        reason = reason ?? error
      }
    }
    throw reason ?? FetchFailure(sentence: "The station's segments (fMP4) hold no sound.", kind: .format)
  }

  private static func number(of track: ArraySlice<UInt8>) -> UInt32? {
    guard let head = MovieBox.first(MovieBox.tkhd, in: track) else { return nil }
    var fields = MovieFields(head)
    let isWide = fields.take(4) >> 24 == 1
    _ = fields.take(8)
    if isWide { _ = fields.take(8) }
    return UInt32(truncatingIfNeeded: fields.take(4))
  }

  /// The first entry of an audio track's sample description: its kind and content.
  private static func entry(of track: ArraySlice<UInt8>) -> (kind: UInt32, content: ArraySlice<UInt8>)? {
    guard let media = MovieBox.first(MovieBox.mdia, in: track),
      let handler = MovieBox.first(MovieBox.hdlr, in: media), handler.dropFirst(8).starts(with: "soun".utf8),
      let information = MovieBox.first(MovieBox.minf, in: media),
      let table = MovieBox.first(MovieBox.stbl, in: information),
      let description = MovieBox.first(MovieBox.stsd, in: table)
    else { return nil }
    return MovieBox.next(description.dropFirst(8))
  }

  private static func header(
    _ entry: (kind: UInt32, content: ArraySlice<UInt8>)
  ) throws(FetchFailure) -> ADTSHeader {
    guard entry.kind != MovieBox.enca else {
      throw FetchFailure(
        sentence: "The station's segments (fMP4) are encrypted, which cannot be played.", kind: .protection)
    }
    // An audio sample entry has 28 bytes before its boxes.
    guard entry.kind == MovieBox.mp4a,
      let box = MovieBox.first(MovieBox.esds, in: entry.content.dropFirst(28)),
      let configuration = configuration(box.dropFirst(4)),
      let header = ADTSHeader(configuration: configuration)
    else {
      throw FetchFailure(
        sentence:
          "The station's segments (fMP4) hold sound of the kind \(MovieBox.name(entry.kind)), of which only AAC (LC and HE) is played.",
        kind: .format)
    }
    return header
  }

  /// The decoder configuration in a chain of descriptors (ISO/IEC 14496-1, section 7.2.6).
  private static func configuration(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = bytes
    while rest.count >= 2, let tag = rest.popFirst() {
      var size = 0
      for _ in 0..<4 {
        guard let byte = rest.popFirst() else { return nil }
        size = size << 7 | Int(byte & 0x7F)
        if byte & 0x80 == 0 { break }
      }
      switch tag {
      // ES_Descriptor: ID and flags. Its optional fields are not used in MP4.
      case 3: rest = rest.dropFirst(3)
      case 4:
        guard rest.first == 0x40 || rest.first == 0x67 else { return nil }
        rest = rest.dropFirst(13)
      case 5: return rest.prefix(size)
      default: rest = rest.dropFirst(size)
      }
    }
    return nil
  }

  private static func frameSize(of number: UInt32, in movie: ArraySlice<UInt8>) -> Int64 {
    guard let extends = MovieBox.first(MovieBox.mvex, in: movie) else { return 0 }
    for box in MovieBox.all(MovieBox.trex, in: extends) {
      var fields = MovieFields(box)
      _ = fields.take(4)
      guard fields.take(4) == Int64(number) else { continue }
      _ = fields.take(8)
      return fields.take(4)
    }
    return 0
  }
}

/// Parser for nested boxes (ISO/IEC 14496-12, section 4.2).
enum MovieBox {
  static let (moov, moof, trak) = (code("moov"), code("moof"), code("trak"))
  static let (mdia, hdlr, minf, stbl) = (code("mdia"), code("hdlr"), code("minf"), code("stbl"))
  static let (stsd, tkhd, mvex, trex) = (code("stsd"), code("tkhd"), code("mvex"), code("trex"))
  static let (traf, tfhd, trun) = (code("traf"), code("tfhd"), code("trun"))
  static let (mp4a, enca, esds) = (code("mp4a"), code("enca"), code("esds"))
  /// The kinds of box that a segment may begin with.
  static let first = [
    moov, moof, code("ftyp"), code("styp"), code("sidx"), code("emsg"), code("prft"), code("mdat"),
    code("free"), code("uuid"),
  ]

  static func code(_ name: StaticString) -> UInt32 {
    var value: UInt32 = 0
    for index in 0..<name.utf8CodeUnitCount { value = value << 8 | UInt32(name.utf8Start[index]) }
    return value
  }

  static func name(_ code: UInt32) -> String {
    String(decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }, as: UTF8.self)
      .printable(limit: 16)
  }

  /// The box at the beginning of bytes: its kind and content; nil if it is incomplete.
  static func next(_ bytes: ArraySlice<UInt8>) -> (kind: UInt32, content: ArraySlice<UInt8>)? {
    guard bytes.count >= 8 else { return nil }
    var fields = MovieFields(bytes)
    let size = fields.take(4)
    let kind = UInt32(truncatingIfNeeded: fields.take(4))
    guard size >= 8, size <= Int64(bytes.count) else { return nil }
    return (kind, bytes.prefix(Int(size)).dropFirst(8))
  }

  static func all(_ kind: UInt32, in bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var found: [ArraySlice<UInt8>] = []
    var rest = bytes
    while let box = next(rest) {
      if box.kind == kind { found.append(box.content) }
      rest = rest[box.content.endIndex...]
    }
    return found
  }

  static func first(_ kind: UInt32, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = bytes
    while let box = next(rest) {
      if box.kind == kind { return box.content }
      rest = rest[box.content.endIndex...]
    }
    return nil
  }
}

/// Reads the big-endian fields of a box. Returns zeros past its end.
struct MovieFields {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Reads a number of up to 8 bytes.
  mutating func take(_ count: Int) -> Int64 {
    defer { rest = rest.dropFirst(count) }
    return FragmentedMovie.number(rest.prefix(count))
  }
}
