// Encodes a queue entry relative to the previous one, without repeating common prefixes (folder, artist,
// album). Pure; any thread but the audio thread.

import PlaybackModel

/// The fields of the previous entry, to which the next one is relative.
struct EntryContext {
  fileprivate var id: UInt64 = 0
  fileprivate var path: [UInt8] = []
  fileprivate var artist: [UInt8] = []
  fileprivate var album: [UInt8] = []
  /// The total bytes of text so far.
  fileprivate var sum = 0
}

/// Flags for the optional fields of an entry.
private struct EntryParts {
  static let title: UInt8 = 1
  static let artist: UInt8 = 2
  static let album: UInt8 = 4
  static let number: UInt8 = 8
  static let length: UInt8 = 16
  static let loudness: UInt8 = 32
  static let hasFailed: UInt8 = 64
  static let section: UInt8 = 128
}

extension ByteWriter {
  /// Encodes an entry.
  ///
  /// - Parameters:
  ///   - track: The track.
  ///   - hasFailed: Whether playing it has failed.
  ///   - withTags: Whether to include the fields that its decoder can determine again.
  ///   - before: The context, updated to this entry.
  mutating func track(
    _ track: Track, hasFailed: Bool, withTags: Bool, after before: inout EntryContext
  ) {
    var parts: UInt8 = hasFailed ? EntryParts.hasFailed : 0
    // Always included: the section is part of the track's identity.
    if track.section != nil { parts |= EntryParts.section }
    if withTags {
      if track.title != nil { parts |= EntryParts.title }
      if track.artist != nil { parts |= EntryParts.artist }
      if track.album != nil { parts |= EntryParts.album }
      if track.trackNumber != nil { parts |= EntryParts.number }
      if track.length != nil { parts |= EntryParts.length }
      if track.loudness != nil { parts |= EntryParts.loudness }
    }
    byte(parts)
    compactSigned(Int64(bitPattern: track.id &- before.id))
    before.id = track.id
    shared(track.path, &before.path, limit: QueueCoding.pathLimit)
    if let section = track.section {
      compact(UInt64(section.start))
      compact(UInt64(section.end ?? 0))
    }
    guard withTags else { return }
    if let title = track.title { text(title, limit: QueueCoding.tagLimit) }
    if let artist = track.artist { shared(artist, &before.artist, limit: QueueCoding.tagLimit) }
    if let album = track.album { shared(album, &before.album, limit: QueueCoding.tagLimit) }
    if let number = track.trackNumber { compactSigned(Int64(number)) }
    if let length = track.length { compactSigned(min(max(length, .zero), .maxLength).count) }
    if let loudness = track.loudness {
      let values = [loudness.trackGain, loudness.trackPeak, loudness.albumGain, loudness.albumPeak]
      var known: UInt8 = 0
      for i in values.indices where values[i] != nil { known |= 1 << UInt8(i) }
      byte(known)
      for value in values { if let value { number(value.bitPattern, 4) } }
    }
  }

  /// Writes text as the length of the prefix it shares with the previous text, and the rest.
  private mutating func shared(_ text: String, _ before: inout [UInt8], limit: Int) {
    let utf8 = Array(text.utf8).clipped(to: limit)
    var common = 0
    while common < utf8.count, common < before.count, utf8[common] == before[common] { common += 1 }
    compact(UInt64(common))
    compact(UInt64(utf8.count - common))
    raw(utf8[common...])
    before = utf8
  }
}

extension ByteReader {
  /// Decodes an entry.
  mutating func track(after before: inout EntryContext) throws(Malformed) -> PlayQueue.Snapshot.Entry {
    let parts = try byte()
    func has(_ part: UInt8) -> Bool { parts & part != 0 }
    let id = before.id &+ UInt64(bitPattern: try compactSigned())
    before.id = id
    try shared(&before.path, limit: QueueCoding.pathLimit, sum: &before.sum)
    var track = Track(id: id, path: String(decoding: before.path, as: UTF8.self))
    if has(EntryParts.section) {
      let start = try count(atMost: FileSection.limit, "the beginning of a section")
      let end = try count(atMost: FileSection.limit, "the end of a section")
      guard let section = FileSection(start: start, end: end == 0 ? nil : end) else {
        throw Malformed("a section is empty")
      }
      track.section = section
    }
    if has(EntryParts.title) { track.title = try text(limit: QueueCoding.tagLimit) }
    if has(EntryParts.artist) {
      try shared(&before.artist, limit: QueueCoding.tagLimit, sum: &before.sum)
      track.artist = String(decoding: before.artist, as: UTF8.self)
    }
    if has(EntryParts.album) {
      try shared(&before.album, limit: QueueCoding.tagLimit, sum: &before.sum)
      track.album = String(decoding: before.album, as: UTF8.self)
    }
    if has(EntryParts.number) { track.trackNumber = Int(truncatingIfNeeded: try compactSigned()) }
    if has(EntryParts.length) {
      let length = try compactSigned()
      guard length >= 0, length <= Frames.maxLength.count else {
        throw Malformed("a length is out of bounds")
      }
      track.length = Frames(length)
    }
    if has(EntryParts.loudness) { track.loudness = try loudness() }
    return PlayQueue.Snapshot.Entry(track: track, hasFailed: has(EntryParts.hasFailed))
  }

  private mutating func loudness() throws(Malformed) -> Loudness {
    let known = try byte()
    guard known < 16 else { throw Malformed("a loudness has unknown parts") }
    func value(_ i: UInt8, _ reader: inout ByteReader) throws(Malformed) -> Float? {
      guard known & 1 << i != 0 else { return nil }
      let value = Float(bitPattern: UInt32(truncatingIfNeeded: try reader.number(4)))
      return value.isFinite ? value : nil
    }
    let (gain, peak) = (try value(0, &self), try value(1, &self))
    let (albumGain, albumPeak) = (try value(2, &self), try value(3, &self))
    return Loudness(trackGain: gain, trackPeak: peak, albumGain: albumGain, albumPeak: albumPeak)
  }

  private mutating func shared(_ before: inout [UInt8], limit: Int, sum: inout Int) throws(Malformed) {
    let common = try count(atMost: before.count, "the length of a common beginning")
    let rest = try count(atMost: limit - common, "the length of a text")
    sum += common + rest
    guard sum <= QueueCoding.textLimit else { throw Malformed("the texts are too long") }
    before.removeSubrange(common...)
    before.append(contentsOf: try raw(rest))
  }
}
