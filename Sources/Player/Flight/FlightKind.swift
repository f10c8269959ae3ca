// What is recorded, and how each kind of record is laid out in its five words. The table is all that writer, reader and
// the fingerprint of a file go by. Pure; any thread.

import Platform
import PlaybackModel

/// What a record tells.
package enum FlightKind: UInt8, Hashable, Sendable, CaseIterable {
  /// The box has started. Its text is the version.
  case start
  /// An output is in use.
  case output
  /// What the player decides by.
  case settings
  /// How loud.
  case volume
  /// Somebody gave a command. Its text is the line, without private names.
  case command
  /// A command was answered.
  case answer
  /// A button or knob was used. Its text is the gesture.
  case gesture
  /// The state machine was given an event.
  case event
  /// The box tries a failed track again by itself: the next event is not a person's.
  case retry
  /// The mixer has reported something.
  case mixer
  /// A command was heard.
  case heard
  /// The output ran dry.
  case underrun
  /// The output is gone, or is back.
  case lost, restored
  /// The output takes nothing back any more.
  case shallow
  /// Something about a deck's decoder.
  case deck
  /// How far ahead the decoders are, and what held them up since the last such record.
  case rings
  /// Something that was done in the background is done.
  case job
  /// Removable storage came or went.
  case storage
  /// What a short name stands for: its text. Shown only to who asks for names.
  case name
  /// The box has ended in order.
  case stop
  /// More of the text of the record before.
  case text

  /// The word that stands for it in reports.
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

  /// What its words hold.
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

  /// Another number for any other table: a file of another one is not read with this.
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

/// One value of a record.
package struct FlightField: Hashable, Sendable {
  /// What a value means.
  package enum Form: UInt8, Hashable, Sendable {
    case number, flag
    /// Nanoseconds.
    case time
    case name
    // Codes.
    case curve, source, event, state, verdict, error, news, decoding, job, deck
  }

  /// Its name in reports.
  package let name: String
  /// The word it is in.
  package let word: Int
  /// The byte of that word; nil where it takes all of it.
  package let byte: Int?
  /// What it means.
  package let form: Form

  init(_ name: String, _ word: Int, byte: Int? = nil, _ form: Form) {
    self.name = name
    self.word = word
    self.byte = byte
    self.form = form
  }
}
