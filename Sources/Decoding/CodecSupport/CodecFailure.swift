// The error type of codec plugins: a status of the C ABI and a sentence for the user. A value; worker process
// only.

import CodecPlugin

/// A failed codec call: a status for the host and a sentence for the user.
///
/// ```swift
/// guard channels <= 8 else {
///   throw CodecFailure(.unsupported, "\(channels) channels are not played; 1 to 8 are.")
/// }
/// ```
public struct CodecFailure: Error {
  /// The negative values of `swiftlet_codec_status`.
  public enum Kind: Int32, Sendable {
    /// The data has another format, or a variant that this codec does not decode.
    case unsupported = -1
    /// The data is too damaged to continue from here.
    case corrupt = -2
    /// The content is encrypted.
    case protected = -3
    /// The host's I/O table returned an error.
    case read = -4
    /// A memory allocation failed.
    case memory = -5
    /// The stream cannot seek, or not to the requested frame.
    case notSeekable = -6
  }

  /// The status that the host acts on.
  public let kind: Kind
  /// What is wrong and where. Leaves out the file's name, which the host adds.
  public let sentence: Phrase

  /// Creates a failure.
  ///
  /// - Parameters:
  ///   - kind: The status for the host.
  ///   - sentence: A complete sentence for the user, starting with a capital and ending with a full stop.
  public init(_ kind: Kind, _ sentence: Phrase) {
    self.kind = kind
    self.sentence = sentence
  }

  /// A failed read or seek of the host's I/O table.
  ///
  /// - Parameter offset: The file offset in bytes.
  public static func read(at offset: Int64) -> CodecFailure {
    CodecFailure(.read, "The file could not be read at byte \(offset).")
  }

  /// A failed allocation in the codec library.
  public static var memory: CodecFailure { CodecFailure(.memory, "Out of memory for the decoder.") }
}
