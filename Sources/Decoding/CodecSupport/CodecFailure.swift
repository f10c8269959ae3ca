// Why a codec call failed, in the ABI's words. A value; worker process only.

import CodecPlugin

/// A failure on its way through the ABI: a status for the host and a sentence for a person.
public struct CodecFailure: Error {
  /// The negative statuses of `swiftlet_codec_status`.
  public enum Kind: Int32, Sendable {
    /// The bytes are another format's, or a variant that is not decoded.
    case unsupported = -1
    /// The bytes are damaged beyond what can be played from here on.
    case corrupt = -2
    /// Encrypted or otherwise protected content.
    case protected = -3
    /// The host could not read the file.
    case read = -4
    /// An allocation failed.
    case memory = -5
    /// The stream cannot seek, or not to there.
    case notSeekable = -6
  }

  /// What the host decides by.
  public let kind: Kind
  /// What is wrong and where, a sentence without the file's name (the host knows it).
  public let sentence: Phrase

  /// A failure of `kind`, explained by `sentence`.
  public init(_ kind: Kind, _ sentence: Phrase) {
    self.kind = kind
    self.sentence = sentence
  }

  /// The host's read or seek failed at `offset` bytes.
  public static func read(at offset: Int64) -> CodecFailure {
    CodecFailure(.read, "The file could not be read at byte \(offset).")
  }

  /// The codec library could not allocate.
  public static var memory: CodecFailure { CodecFailure(.memory, "Out of memory for the decoder.") }
}
