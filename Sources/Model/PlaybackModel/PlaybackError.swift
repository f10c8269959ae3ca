// Errors of tracks and outputs, with descriptions and remedies for the user. Pure values; control thread.

/// Why a track could not be played: the kind, the path, and a remedy.
package struct PlaybackError: Error, Hashable, Sendable {
  /// Kinds of errors; each has its own sentence, LED flashes and cue.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// The file does not exist.
    case missing
    /// The file exists but cannot be read (permission, I/O error).
    case unreadable
    /// No codec plugin supports the content.
    case unsupportedFormat
    /// The content is too damaged to play.
    case corrupt
    /// The content is encrypted (DRM).
    case protected
    /// The network or the server does not respond.
    case network
    /// The decoder process was killed by a signal.
    case decoderCrashed
    /// The decoder process made no progress and was killed.
    case decoderHung
    /// The decoder process violated its sandbox and was killed.
    case decoderBrokeSandbox
    /// The sound card is missing, busy or fails.
    case outputUnavailable
    /// The USB stick, card or disk with the track was removed.
    case storageRemoved
    /// The engine is in an inconsistent state.
    case `internal`
    /// The server refuses the stream or does not have it.
    case refused

    /// Whether the same track is retried indefinitely, because the next track would fail as well.
    var passesOverNothing: Bool { self == .outputUnavailable || self == .storageRemoved }
  }

  /// Kind of the error.
  package var kind: Kind
  /// Technical detail for the log, such as the system's error text; may be empty.
  package var detail: String
  /// The affected file, URI or device; may be empty.
  package var path: String

  /// An error of a kind at a path.
  package init(_ kind: Kind, path: String = "", detail: String = "") {
    self.kind = kind
    self.path = path
    self.detail = detail
  }

  /// Whether a retry can succeed without any change. A file that crashed its decoder would do so again; a device that
  /// stalled or disappeared may recover.
  package var isRecoverable: Bool {
    switch kind {
    case .unreadable, .network, .decoderHung, .outputUnavailable, .storageRemoved: true
    case .missing, .unsupportedFormat, .corrupt, .protected, .decoderCrashed, .decoderBrokeSandbox, .internal,
      .refused:
      false
    }
  }

  /// One sentence for the user: the error, the path, and the detail, without passwords of addresses.
  package var sentence: String {
    var text =
      switch kind {
      // A pipe, a folder or a file outside the music folders exists; the detail has the cause.
      case .missing: isAbsent ? "The file does not exist" : "The file cannot be played"
      case .unreadable: "The file cannot be read"
      case .unsupportedFormat: "No codec can play this format"
      case .corrupt: "The file is damaged"
      case .protected: "The file is copy-protected"
      case .network: "The stream cannot be played"
      case .decoderCrashed: "The decoder crashed on this file"
      case .decoderHung: "The decoder stopped making progress and was ended"
      case .decoderBrokeSandbox: "The decoder did something it is not allowed to do and was ended"
      case .outputUnavailable: "The sound output is not available"
      case .storageRemoved: "The storage that holds the file is away"
      case .refused: "The stream's server refuses it"
      case .internal: "The player had an internal error"
      }
    if !path.utf8.isEmpty { text += ": " + path }
    if !detail.utf8.isEmpty { text += " (" + detail + ")" }
    return text.withoutUserInfo + "."
  }

  /// The detail of a file that does not exist, which adds nothing to the sentence.
  package static let noSuchFile = "There is no such file."

  private var isAbsent: Bool { detail.utf8.isEmpty || detail == Self.noSuchFile }

  /// Whether the path is a URI with an unsupported scheme, such as `rtsp://…`.
  private var isOtherScheme: Bool {
    let scheme = path.utf8.prefix { $0 != 0x3A && $0 != 0x2F }
    return scheme.count > 1 && path.utf8.dropFirst(scheme.count).starts(with: "://".utf8)
      && !path.utf8.starts(with: "http".utf8)
  }

  /// Whether the detail names a missing package.
  private var namesPackage: Bool {
    let (words, text) = (Array("apt install ".utf8), Array(detail.utf8))
    guard text.count >= words.count else { return false }
    return (0...(text.count - words.count)).contains { text[$0...].starts(with: words) }
  }

  /// A remedy for the user, as one sentence.
  package var remedy: String {
    switch kind {
    case .missing where !isAbsent: "Name a music file in the music folders; 'media' lists them on a box."
    case .missing: "Check the path, and that the storage it is on is there."
    case .unreadable: "Check the file's permissions and the health of the storage, then retry."
    case .unsupportedFormat where isOtherScheme:
      "Swiftlet plays streams by http:// and https:// only; download it and play the file."
    case .unsupportedFormat where namesPackage: "Install the package, and try again."
    case .unsupportedFormat where path.isURI:
      "Check the address in a browser: it has to be that of a stream, not of a page. 'swiftlet codecs' lists what is played."
    case .unsupportedFormat: "Convert the file, or install a plugin for it; 'swiftlet codecs' lists them."
    case .corrupt where path.isURI:
      "Check whether the server sends the whole file, or download it and play it."
    case .corrupt: "Copy the file again from its source."
    case .protected: "Use a copy without copy protection."
    case .network: "Check the address and the network; the player tries again by itself, within a minute."
    case .refused: "Check the address, or ask the server's operator; the player does not try again."
    case .decoderCrashed, .decoderBrokeSandbox:
      "Skip the file, and report it together with the output of 'swiftlet probe' and, on a box, of 'swiftlet ctl report'."
    case .decoderHung:
      "Check that the storage is not too slow, then retry; where it is not, 'swiftlet ctl report' says what a box waited for."
    case .outputUnavailable:
      "Plug in or free the sound device; playing then continues. On a box, 'swiftlet ctl report' shows why it failed."
    case .storageRemoved: "Plug it in or mount it; playing then continues."
    case .internal: "Report it together with the output of 'swiftlet ctl report'."
    }
  }

  /// LED pattern: red, or amber if recoverable, with the kind's number of flashes from the manual.
  package var indicator: Indicator {
    Indicator(isRecoverable ? .amber : .red, .flashes(Int(kind.rawValue) + 1))
  }

  /// Name of the cue for the error.
  package var cue: String {
    switch kind {
    case .missing, .unreadable, .unsupportedFormat, .corrupt, .protected: "error-file"
    case .network, .refused: "error-network"
    case .decoderCrashed, .decoderHung, .decoderBrokeSandbox, .internal: "error-internal"
    case .outputUnavailable: "error-output"
    case .storageRemoved: "error-storage"
    }
  }
}
