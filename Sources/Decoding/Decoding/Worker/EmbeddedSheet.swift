// Reader for cue sheets inside media files: the CUESHEET block of FLAC (RFC 9639, 8.7), and the CUESHEET
// comment of FLAC, Vorbis and Opus. Runs in the sandboxed worker only.

import CodecPlugin
import MediaFormats
import PlaybackModel
import Playlists

/// Finds and parses the cue sheet in a media file.
struct EmbeddedSheet: ByteSource {
  /// Maximum size of a metadata block or packet in bytes.
  private static let maxComments = 1 << 20
  /// Maximum number of metadata blocks of an Ogg file.
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
    beginning.has("fLaC") || beginning.has("OggS") || beginning.has("ID3")
  }

  /// One entry for each track; empty if the file has no sheet. A comment is preferred to a block, because it
  /// has titles.
  func entries() -> [PlaylistEntry] {
    let start = ID3Header(bytes(at: 0, count: ID3Header.size))?.tagSize ?? 0
    let mark = bytes(at: start, count: 4)
    if mark.has("fLaC") { return flac(from: start + 4) }
    return mark.has("OggS") ? ogg(from: start) : []
  }

  func bytes(at offset: Int64, count: Int) -> [UInt8] {
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
    var rate = 0
    var fromBlock: [PlaylistEntry] = []
    var blocks = FLACBlocks(in: self, from: start)
    while let block = blocks.next() {
      let size = Int(min(block.size, Int64(Self.maxComments)))
      switch block.kind {
      case .streamInfo: rate = FLACBlockKind.rate(streamInfo: bytes(at: block.start, count: 18)) ?? 0
      case .comments:
        let found = comments(bytes(at: block.start, count: size)[...])
        if !found.isEmpty { return found }
      case .cueSheet: fromBlock = self.block(bytes(at: block.start, count: size), rate: rate)
      case .picture, nil: break
      }
    }
    return fromBlock
  }

  /// Parses the CUESHEET block. Each track runs from its INDEX 01 to that of the next; the last one is the
  /// lead-out.
  private func block(_ bytes: [UInt8], rate: Int) -> [PlaylistEntry] {
    guard bytes.count > 396, rate > 0 else { return [] }
    var tracks: [(number: Int, start: Int64, isAudio: Bool)] = []
    var place = 396
    func big(_ place: Int) -> Int64 { bytes.big(Int64(place), 8) ?? 0 }
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

  /// Finds a sheet in Vorbis comments.
  private func comments(_ bytes: ArraySlice<UInt8>) -> [PlaylistEntry] {
    guard let comments = VorbisComments(bytes) else { return [] }
    for comment in comments {
      guard let sheet = VorbisComments.value(of: "CUESHEET", in: comment) else { continue }
      let lines = sheet.split { $0 == 0x0A || $0 == 0x0D }.map(PlaylistParser.trimmed)
      if CueSheet.isOne(lines) { return CueSheet.entries(lines, of: name) }
    }
    return []
  }

  // MARK: Ogg

  /// The comments are the second packet of Vorbis and Opus, and one of the packets after the first of FLAC.
  private func ogg(from start: Int64) -> [PlaylistEntry] {
    var packets = OggPackets(in: self, from: start)
    guard case .packet(let first) = packets.next(atMost: Self.maxComments) else { return [] }
    let isOpus = first.has("OpusHead")
    if isOpus || first.has("\u{1}vorbis") {
      guard case .packet(let second) = packets.next(atMost: Self.maxComments) else { return [] }
      return comments(second.dropFirst(isOpus ? 8 : 7))
    }
    guard first.has("\u{7F}FLAC"), let rate = FLACBlockKind.rate(streamInfo: first.dropFirst(17)) else {
      return []
    }
    var fromBlock: [PlaylistEntry] = []
    for _ in 0..<Self.maxBlocks {
      guard case .packet(let packet) = packets.next(atMost: Self.maxComments), let head = packet.first,
        packet.count > 4, head != 0xFF
      else { break }
      switch FLACBlockKind(rawValue: head & 0x7F) {
      case .comments:
        let found = comments(packet.dropFirst(4))
        if !found.isEmpty { return found }
      case .cueSheet: fromBlock = block(Array(packet.dropFirst(4)), rate: rate)
      case .streamInfo, .picture, nil: break
      }
      if head & 0x80 != 0 { break }
    }
    return fromBlock
  }
}
