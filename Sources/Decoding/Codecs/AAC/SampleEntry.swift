// The encoding of an MP4 track, with the errors of those that are not played. Worker process only.

import CodecSupport
import MediaFormats

/// Reads `stsd` boxes.
enum SampleEntry {
  /// Maximum size in bytes of the sample descriptions that are read.
  private static let maxDescriptions = 1 << 16

  /// The decoder's configuration of an AAC track.
  ///
  /// - Throws: `unsupported` for other codecs, `protected` for encrypted tracks, `corrupt` for damaged boxes.
  static func configuration(_ reader: BoxReader, _ descriptions: MP4Box) throws(CodecFailure) -> [UInt8] {
    let bytes = try reader.content(descriptions, atMost: maxDescriptions)
    switch MP4SampleEntry(descriptions: bytes[...]) {
    case .aac(let configuration): return configuration
    case .protected(let kind):
      throw CodecFailure(
        .protected, "The MP4 file is protected (\(MP4Box.name(kind))): only its seller's programs play it.")
    case .other(let kind):
      throw CodecFailure(
        .unsupported,
        "The MP4 file's sound is encoded as \(MP4Box.name(kind)), which is not played; AAC is (mp4a).")
    case .object(let kind):
      throw CodecFailure(
        .unsupported,
        "The MP4 file's sound is encoded as MPEG-4 object \(kind), which is not played; AAC is (64).")
    case .undescribed:
      throw CodecFailure(
        .unsupported, "The MP4 track at byte \(descriptions.start) does not say how it is encoded (esds).")
    case .damaged:
      throw CodecFailure(
        .corrupt, "The MP4 file's decoder description at byte \(descriptions.start) is damaged.")
    }
  }
}
