// Selects the audio track of an MP4 file and its decoder configuration. Pure; fetcher process, in its sandbox.

import MediaFormats
import Platform

/// The first AAC track.
struct MovieTrack {
  let fragments: MP4FragmentedTrack
  let encoder: ADTSEncoder

  /// The kinds of box that a segment may begin with.
  static let firstBoxes = [
    "moov", "moof", "ftyp", "styp", "sidx", "emsg", "prft", "mdat", "free", "uuid",
  ].map { (name: StaticString) in UInt32(characters: name) }

  /// Parses the content of a `moov` box.
  init(movie: ArraySlice<UInt8>) throws(FetchFailure) {
    var reason: FetchFailure?
    for track in MP4Content.all("trak", in: movie) {
      guard let header = MP4Content.first("tkhd", in: track), let entry = Self.entry(of: track) else {
        continue
      }
      do throws(FetchFailure) {
        encoder = try Self.encoder(entry)
        fragments = MP4FragmentedTrack(header: header, extends: MP4Content.first("mvex", in: movie) ?? [])
        return
      } catch {
        reason = reason ?? error
      }
    }
    throw reason ?? FetchFailure(sentence: "The station's segments (fMP4) hold no sound.", kind: .format)
  }

  /// The sample description of a track; nil if the track is not sound.
  private static func entry(of track: ArraySlice<UInt8>) -> MP4SampleEntry? {
    guard let media = MP4Content.first("mdia", in: track),
      let handler = MP4Content.first("hdlr", in: media), handler.has("soun", at: 8),
      let information = MP4Content.first("minf", in: media),
      let table = MP4Content.first("stbl", in: information),
      let descriptions = MP4Content.first("stsd", in: table)
    else { return nil }
    return MP4SampleEntry(descriptions: descriptions)
  }

  private static func encoder(_ entry: MP4SampleEntry) throws(FetchFailure) -> ADTSEncoder {
    let kind: String
    switch entry {
    case .aac(let configuration):
      if let encoder = ADTSEncoder(configuration: configuration) { return encoder }
      kind = "mp4a"
    case .object, .undescribed, .damaged: kind = "mp4a"
    case .other(let other): kind = name(other)
    case .protected:
      throw FetchFailure(
        sentence: "The station's segments (fMP4) are encrypted, which cannot be played.", kind: .protection)
    }
    throw FetchFailure(
      sentence:
        "The station's segments (fMP4) hold sound of the kind \(kind), of which only AAC (LC and HE) is played.",
      kind: .format)
  }

  private static func name(_ kind: UInt32) -> String {
    String(decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: kind >> $0) }, as: UTF8.self)
      .printable(limit: 16)
  }
}
