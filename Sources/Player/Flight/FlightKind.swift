// The kinds of flight records and the layout of each in five 64-bit words. Writer, reader and the file's fingerprint
// all derive from this table. Values; any thread.

import Platform
import PlaybackModel

/// The kind of a record.
package enum FlightKind: UInt8, Hashable, Sendable, CaseIterable {
  /// The daemon has started. Text: its version.
  case start
  /// An output was opened.
  case output
  /// The player's settings (fades, ramps) have changed.
  case settings
  /// The volume has changed.
  case volume
  /// A command was received. Text: the line, with names replaced by short names.
  case command
  /// A command was answered.
  case answer
  /// A button or knob was used. Text: the gesture.
  case gesture
  /// The state machine has handled an event.
  case event
  /// A failed track is retried automatically: the next event does not come from the user.
  case retry
  /// A report of the mixer.
  case mixer
  /// A command has become audible.
  case heard
  /// The output underran.
  case underrun
  /// The output was lost, or has returned.
  case lost, restored
  /// The output no longer rewinds its queue, so a short buffer is used.
  case shallow
  /// An event of a deck's decoder.
  case deck
  /// Fill levels of the rings, and the waits for storage since the last such record.
  case rings
  /// Background work has finished.
  case job
  /// Removable storage was mounted or unmounted.
  case storage
  /// The text behind a short name. Shown only by reports that include names.
  case name
  /// The daemon has ended cleanly.
  case stop
  /// Continuation of the preceding record's text.
  case text

  /// The kind's word in reports.
  package var word: String {
    switch self {
    case .start: "start"
    case .output: "output"
    case .settings: "settings"
    case .volume: "volume"
    case .command: "command"
    case .answer: "answer"
    case .gesture: "gesture"
    case .event: "event"
    case .retry: "retry"
    case .mixer: "mixer"
    case .heard: "heard"
    case .underrun: "underrun"
    case .lost: "lost"
    case .restored: "restored"
    case .shallow: "shallow"
    case .deck: "deck"
    case .rings: "rings"
    case .job: "job"
    case .storage: "storage"
    case .name: "name"
    case .stop: "stop"
    case .text: "text"
    }
  }

  /// The fields of a record of this kind.
  package var fields: [FlightField] {
    switch self {
    case .start, .retry, .restored, .shallow, .stop, .text: []
    case .output: [.init("rate", 0, .number), .init("deep", 1, .flag), .init("there", 2, .flag)]
    case .settings:
      [
        .init("fade", 0, .time), .init("manual", 1, .time), .init("curve", 2, .curve),
        .init("quick-finish", 3, .number), .init("pause-ramp", 4, .time),
      ]
    case .volume: [.init("percent", 0, .number)]
    case .command: [.init("from", 0, .source)]
    case .answer: [.init("ok", 0, .flag), .init("took", 1, .time)]
    case .gesture: [.init("count", 0, .number)]
    case .event:
      [
        .init("event", 0, byte: 0, .event), .init("from", 0, byte: 1, .state),
        .init("to", 0, byte: 2, .state),
        .init("verdict", 0, byte: 3, .verdict), .init("error", 0, byte: 4, .error), .init("track", 1, .name),
        .init("position", 2, .time), .init("target", 3, .time),
      ]
    case .mixer:
      [.init("what", 0, byte: 0, .news), .init("deck", 0, byte: 1, .deck), .init("frame", 1, .time)]
    case .heard: [.init("took", 0, .time)]
    case .underrun, .lost:
      [.init("late", 0, .time), .init("unasked", 1, .time), .init("queued", 2, .time)]
    case .deck:
      [
        .init("deck", 0, byte: 0, .deck), .init("what", 0, byte: 1, .decoding),
        .init("error", 0, byte: 2, .error), .init("track", 1, .name), .init("took", 2, .time),
        .init("position", 3, .time), .init("length", 4, .time),
      ]
    case .rings:
      [
        .init("a", 0, .time), .init("b", 1, .time), .init("storage-a", 2, .time),
        .init("storage-b", 3, .time), .init("late", 4, .time),
      ]
    case .job:
      [.init("what", 0, byte: 0, .job), .init("ok", 0, byte: 1, .flag), .init("took", 1, .time)]
    case .storage: [.init("there", 0, .flag), .init("at", 1, .name)]
    case .name: [.init("is", 0, .name)]
    }
  }

  /// Hash of all names in the table and in the coded enumerations. A file with another fingerprint is not read.
  static let fingerprint: UInt64 = {
    var hash = StableHash()
    for kind in FlightKind.allCases {
      hash.add(kind.word)
      for field in kind.fields { hash.add(field.name) }
    }
    for kind in PlayerEvent.Kind.allCases { hash.add(kind.name) }
    for kind in PlayerState.Kind.allCases { hash.add(kind.name) }
    for kind in PlaybackError.Kind.allCases { hash.add(kind.word) }
    for news in MixerNews.allCases { hash.add(news.word) }
    for news in DecodingNews.allCases { hash.add(news.word) }
    return hash.value
  }()
}

/// One field of a record.
package struct FlightField: Hashable, Sendable {
  /// How a field's value is interpreted.
  package enum Form: UInt8, Hashable, Sendable {
    case number, flag
    /// A time in nanoseconds.
    case time
    case name
    // One-byte codes of enumerations.
    case curve, source, event, state, verdict, error, news, decoding, job, deck
  }

  /// The field's name in reports.
  package let name: String
  /// Index of the field's word, 0 to 4.
  package let word: Int
  /// Index of the byte within the word; nil if the field takes the whole word.
  package let byte: Int?
  /// How the value is interpreted.
  package let form: Form

  init(_ name: String, _ word: Int, byte: Int? = nil, _ form: Form) {
    self.name = name
    self.word = word
    self.byte = byte
    self.form = form
  }
}
