// The subjects of events, as named in `watch`, `idle` and JSON. Pure values; any thread.

/// The subject of an event.
package enum EventSubject: UInt8, Hashable, Sendable, CaseIterable {
  case state, track, position, volume, queue, setting, sleep, alarm, output, error, light, storage,
    announcement, library, tag, limits, playlist, source, sticker, clock

  /// The name in commands and in JSON.
  package var name: String {
    switch self {
    case .state: "state"
    case .track: "track"
    case .position: "position"
    case .volume: "volume"
    case .queue: "queue"
    case .setting: "setting"
    case .sleep: "sleep"
    case .alarm: "alarm"
    case .output: "output"
    case .error: "error"
    case .light: "light"
    case .storage: "storage"
    case .announcement: "announcement"
    case .library: "library"
    case .tag: "tag"
    case .limits: "limits"
    case .playlist: "playlist"
    case .source: "source"
    case .sticker: "sticker"
    case .clock: "clock"
    }
  }
}

/// A set of event subjects.
package struct EventSubjects: OptionSet, Hashable, Sendable {
  /// One bit for each subject, by its raw value.
  package let rawValue: UInt32

  /// Creates a set from its bits.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Creates a set from a list of subjects.
  package init(_ subjects: [EventSubject]) {
    rawValue = subjects.reduce(0) { $0 | 1 << UInt32($1.rawValue) }
  }

  /// All subjects.
  package static var all: EventSubjects { EventSubjects(EventSubject.allCases) }
  /// All subjects except the position, which changes continuously.
  package static var changes: EventSubjects {
    EventSubjects(EventSubject.allCases.filter { $0 != .position })
  }

  /// Whether the set contains a subject.
  package func contains(_ subject: EventSubject) -> Bool {
    rawValue & 1 << UInt32(subject.rawValue) != 0
  }

  /// The names of the subjects, in declaration order.
  package var names: [String] { EventSubject.allCases.filter { contains($0) }.map { $0.name } }
}
