// Reader for cue sheets inside media files: the CUESHEET block of FLAC (RFC 9639, 8.7), and the CUESHEET
// comment of FLAC, Vorbis and Opus. Runs in the sandboxed worker only.

import CodecPlugin
import PlaybackModel
import Playlists

/// Finds and parses the cue sheet in a media file.
struct EmbeddedSheet {
  /// Maximum size of comments in bytes, and of the part of an Ogg file that is searched for them.
  private static let maxComments = 1 << 20
  private static let oggBytes = 1 << 18
  /// Maximum number of metadata blocks.
  private static let maxBlocks = 128

  /// Keeps the reader alive, because the table's context pointer is unretained.
  private let reader: MediaReader
  private let io: swiftlet_io
  /// The media file's name, which replaces the file names in the sheet.
  private let name: String

  /// Creates a parser.
  ///
  /// - Parameters:
  ///   - reader: The media file.
  ///   - name: Its name.
  init(_ reader: MediaReader, name: String) {
    self.reader = reader
    io = reader.table
    self.name = name
  }

  /// Whether a file with this beginning may contain a cue sheet: FLAC, Ogg or ID3.
  static func mayBeIn(_ beginning: [UInt8]) -> Bool {
    beginning.starts(with: flacMark) || beginning.starts(with: OggLinks.capture)
      || beginning.starts(with: [0x49, 0x44, 0x33])
  }

  private static let flacMark: [UInt8] = [0x66, 0x4C, 0x61, 0x43]

  /// One entry for each track; empty if the file has no sheet. A comment is preferred to a block, because it
  /// has titles.
  func entries() -> [PlaylistEntry] {
    var start: Int64 = 0
    let head = bytes(at: 0, 10)
    if head.count == 10, head.starts(with: [0x49, 0x44, 0x33]) {
      start = 10 + head[6..<10].reduce(0) { $0 << 7 | Int64($1 & 0x7F) }
      // A tag of version 2.4 may have a footer, which its size does not count.
      if head[3] == 4, head[5] & 0x10 != 0 { start += 10 }
    }
    let mark = bytes(at: start, 4)
    if mark == Self.flacMark { return flac(from: start + 4) }
    return mark == OggLinks.capture ? ogg(from: start) : []
  }

  private func bytes(at offset: Int64, _ count: Int) -> [UInt8] {
    guard io.seek(io.context, offset) == 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = bytes.withUnsafeMutableBytes { io.read(io.context, $0.baseAddress! + done, count - done) }
      guard got > 0 else { break }
      done += Int(got)
    }
    return Array(bytes.prefix(done))
  }

  // MARK: FLAC

  private func flac(from start: Int64) -> [PlaylistEntry] {
    var offset = start
    var rate = 0
    var fromBlock: [PlaylistEntry] = []
    for _ in 0..<Self.maxBlocks {
      let head = bytes(at: offset, 4)
      guard head.count == 4 else { break }
      let size = head[1...].reduce(0) { $0 << 8 | Int($1) }
      switch head[0] & 0x7F {
      case 0:
        let info = bytes(at: offset + 4, 18)
        if info.count == 18 { rate = Int(info[10]) << 12 | Int(info[11]) << 4 | Int(info[12] >> 4) }
      case 4:
        let found = comments(bytes(at: offset + 4, min(size, Self.maxComments))[...])
        if !found.isEmpty { return found }
      case 5: fromBlock = block(bytes(at: offset + 4, min(size, Self.maxComments)), rate: rate)
      default: break
      }
      guard head[0] & 0x80 == 0 else { break }
      offset += 4 + Int64(size)
    }
    return fromBlock
  }

  /// Parses the CUESHEET block. Each track runs from its INDEX 01 to that of the next; the last one is the
  /// lead-out.
  private func block(_ bytes: [UInt8], rate: Int) -> [PlaylistEntry] {
    guard bytes.count > 396, rate > 0 else { return [] }
    var tracks: [(number: Int, start: Int64, isAudio: Bool)] = []
    var place = 396
    func big(_ place: Int) -> Int64 {
      Int64(clamping: bytes[place..<(place + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
    for _ in 0..<Int(bytes[395]) {
      guard place + 36 <= bytes.count else { return [] }
      let (offset, number, isAudio) = (big(place), Int(bytes[place + 8]), bytes[place + 21] & 0x80 == 0)
      let indices = Int(bytes[place + 35])
      place += 36
      guard place + 12 * indices <= bytes.count else { return [] }
      var start = offset
      // The pregap before INDEX 01 plays at the end of the previous track.
      for index in 0..<indices where bytes[place + 12 * index + 8] == 1 {
        start = offset.addingReportingOverflow(big(place + 12 * index)).partialValue
      }
      place += 12 * indices
      let (scaled, isTooMuch) = start.multipliedReportingOverflow(by: FileSection.framesPerSecond)
      guard start >= 0, !isTooMuch else { return [] }
      tracks.append((number, scaled / Int64(rate), isAudio))
    }
    var entries: [PlaylistEntry] = []
    for (index, track) in tracks.enumerated().dropLast() where track.isAudio {
      let end = index + 2 < tracks.count ? tracks[index + 1].start : nil
      guard let section = FileSection(start: Int(clamping: track.start), end: end.map { Int(clamping: $0) })
      else { continue }
      var entry = PlaylistEntry(path: name)
      entry.section = section
      entry.trackNumber = (1...CueSheet.maximumTracks).contains(track.number) ? track.number : nil
      entries.append(entry)
    }
    return entries
  }

  // MARK: Comments

  /// Finds a sheet in Vorbis comments: a vendor string, a count, and as many strings, each preceded by its
  /// length.
  private func comments(_ bytes: ArraySlice<UInt8>) -> [PlaylistEntry] {
    var rest = bytes
    func number() -> Int? {
      guard rest.count >= 4 else { return nil }
      defer { rest = rest.dropFirst(4) }
      return Int(clamping: rest.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }
    func text() -> ArraySlice<UInt8>? {
      guard let size = number(), size <= rest.count else { return nil }
      defer { rest = rest.dropFirst(size) }
      return rest.prefix(size)
    }
    guard text() != nil, let count = number() else { return [] }
    for _ in 0..<min(count, Self.maxComments) {
      guard let comment = text() else { return [] }
      guard let equals = comment.prefix(9).firstIndex(of: 0x3D),
        PlaylistParser.isHeader(comment[..<equals], "cuesheet")
      else { continue }
      let lines = comment[(equals + 1)...].split { $0 == 0x0A || $0 == 0x0D }.map(PlaylistParser.trimmed)
      if CueSheet.isOne(lines) { return CueSheet.entries(lines, of: name) }
    }
    return []
  }

  // MARK: Ogg

  /// The comments are the second packet of Vorbis and Opus, and one of the packets after the first of FLAC.
  private func ogg(from start: Int64) -> [PlaylistEntry] {
    let packets = packets(bytes(at: start, Self.oggBytes))
    guard let first = packets.first else { return [] }
    if first.starts(with: Array("OpusHead".utf8)), packets.count > 1 {
      return comments(packets[1].dropFirst(8))
    }
    if first.starts(with: [1] + Array("vorbis".utf8)), packets.count > 1 {
      return comments(packets[1].dropFirst(7))
    }
    guard first.starts(with: [0x7F] + Array("FLAC".utf8)), first.count >= 51 else { return [] }
    let rate = Int(first[27]) << 12 | Int(first[28]) << 4 | Int(first[29] >> 4)
    var fromBlock: [PlaylistEntry] = []
    for packet in packets.dropFirst() {
      guard let kind = packet.first, packet.count > 4, kind != 0xFF else { break }
      if kind & 0x7F == 4 {
        let found = comments(packet.dropFirst(4))
        if !found.isEmpty { return found }
      }
      if kind & 0x7F == 5 { fromBlock = block(Array(packet.dropFirst(4)), rate: rate) }
      if kind & 0x80 != 0 { break }
    }
    return fromBlock
  }

  /// The first packets of the first logical stream.
  private func packets(_ bytes: [UInt8]) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    var packet: [UInt8] = []
    var place = 0
    var serial: ArraySlice<UInt8> = []
    while place + 27 <= bytes.count, bytes[place..<(place + 4)].elementsEqual(OggLinks.capture),
      packets.count < Self.maxBlocks
    {
      let segments = Int(bytes[place + 26])
      guard place + 27 + segments <= bytes.count else { break }
      if serial.isEmpty { serial = bytes[(place + 14)..<(place + 18)] }
      let isMine = bytes[(place + 14)..<(place + 18)].elementsEqual(serial)
      var body = place + 27 + segments
      for segment in 0..<segments {
        let size = Int(bytes[place + 27 + segment])
        guard body + size <= bytes.count else { return packets }
        if isMine {
          packet += bytes[body..<(body + size)]
          if size < 255 {
            packets.append(packet)
            packet = []
          }
        }
        body += size
      }
      place = body
    }
    return packets
  }
}
