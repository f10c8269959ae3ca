// Event types of the daemon's event feed. Control thread.

import Console
import PlaybackModel
import Player

/// An event of the daemon.
enum FeedEvent {
  /// The player's state has changed.
  case transition(Transition)
  /// Other player data has changed, such as a track's metadata or its position.
  case adjusted
  /// The track became audible.
  case began(Track, TrackFacts)
  /// The track stopped being audible.
  case left(Track, TrackFacts)
  /// A radio station announced a new title.
  case titled(String, Track)
  /// A stream was rejoined after a discontinuity of about this length.
  case missed(Seconds, Track)
  /// The track's decoder crashed and was restarted; playback continues.
  case restarted(Track, PlaybackError)
  /// The queue has changed; `version` differs from all earlier ones.
  case queue(version: UInt64, tracks: Int)
  /// The volume has changed. `percent` is the effective volume, `wanted` the user's choice before time-of-day limits.
  case volume(percent: Int, wanted: Volume)
  /// A setting has changed; nil: all of them. `shown` is the displayed value.
  case setting(Setting?, shown: String)
  /// The sleep timer was set, or cancelled (nil).
  case sleep(SleepPlan?)
  /// An alarm was set, removed, rings, is snoozed or has ended.
  case alarm(AlarmFacts)
  /// A tag was placed, removed or reassigned.
  case tag(TagFacts)
  /// The play limits have changed, or the remaining minutes.
  case limits(LimitFacts)
  /// A stored playlist was created or changed; nil: it was deleted.
  case playlist(PlaylistName, tracks: Int?)
  /// Local time was set or has become known. Internal; sessions receive `clock`.
  case clockSet
  /// Local time was set or has become known, for sessions.
  case clock(LocalTime, isKnown: Bool)
  /// The output device has changed.
  case output(OutputFacts)
  /// A track or the output has failed.
  case error(PlaybackError)
  /// The light pattern has changed.
  case light(Indicator)
  /// Removable storage was mounted or unmounted.
  case storage(path: String, isThere: Bool)
  /// The storage of a media root has stopped or resumed responding.
  case storageWait(path: String, isWaiting: Bool)
  /// The update of the media index for a root has started or finished; `changed` is the number of changed tracks.
  case library(root: String, isUpdating: Bool, changed: Int)
  /// A sticker of a song was written or removed.
  case sticker(path: String)
  /// The state of an announcement has changed; `waiting` is the number of announcements queued behind it.
  case announcement(Announcement, AnnouncementOutcome, waiting: Int)
  /// The state of the live source with this name has changed.
  case source(String, LiveInputOutcome)
  /// A message about the output for the log.
  case note(String)
  /// The player's state should be saved to the checkpoint now.
  case checkpointDue
  /// The error's cue should be played.
  case cueDue(PlaybackError)

  /// Subject for sessions; nil for internal events.
  var subject: EventSubject? {
    switch self {
    case .transition: .state
    case .began, .left, .titled, .missed, .restarted: .track
    case .queue: .queue
    case .volume: .volume
    case .setting: .setting
    case .sleep: .sleep
    case .alarm: .alarm
    case .output: .output
    case .error: .error
    case .light: .light
    case .storage, .storageWait: .storage
    case .announcement: .announcement
    case .library: .library
    case .tag: .tag
    case .limits: .limits
    case .playlist: .playlist
    case .source: .source
    case .sticker: .sticker
    case .clock: .clock
    case .adjusted, .clockSet, .note, .checkpointDue, .cueDue: nil
    }
  }
}

/// Details of a track in `began` and `left`.
struct TrackFacts {
  /// Length; nil if unknown.
  var length: Seconds?
  /// Position at which the track was left.
  var position: Seconds?
  /// Whether the track was played to its end.
  var isOver = false
}

/// Details of an output in `output`.
struct OutputFacts {
  /// One-line summary, as in `status`.
  var summary: String
  /// Whether the output is open and can play.
  var isThere: Bool
}

/// An event with its ID and time.
struct StampedEvent {
  /// Increases by one with each event that has a subject; 0 for events without one.
  let id: UInt64
  /// Scheduler time in nanoseconds.
  let time: UInt64
  /// The event.
  let event: FeedEvent
}
