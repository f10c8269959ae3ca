// What happens in a box, as values with types. Control thread.

import Console
import PlaybackModel
import Player

/// Something that has happened.
enum FeedEvent {
  /// The state has changed.
  case transition(Transition)
  /// Something else about the player has changed: what is known of a track, a position that was settled.
  case adjusted
  /// This track is being listened to from now on.
  case began(Track, TrackFacts)
  /// This track is not listened to any more.
  case left(Track, TrackFacts)
  /// From now on a station calls its sound so.
  case titled(String, Track)
  /// A station was joined anew, and so much of it, about, is left out.
  case missed(Seconds, Track)
  /// The decoder of this track died of an error and was restarted; the track plays on.
  case restarted(Track, PlaybackError)
  /// The queue has changed; the version is another one then.
  case queue(version: UInt64, tracks: Int)
  /// How loud it is, in percent, and as loud as somebody wanted it without the limits of the hour.
  case volume(percent: Int, wanted: Volume)
  /// A setting has changed; nil: all of them. The value is as it is shown.
  case setting(Setting?, shown: String)
  /// The music will stop by itself from now on, or will not any more.
  case sleep(SleepPlan?)
  /// An alarm was set or removed, rings, is snoozed or is over.
  case alarm(AlarmFacts)
  /// A tag has come or gone, or does something else now.
  case tag(TagFacts)
  /// What may be played has changed, or a minute of the day's time was used.
  case limits(LimitFacts)
  /// A playlist that the box keeps was made or changed; nil: it is not there any more.
  case playlist(PlaylistName, tracks: Int?)
  /// Local time is another one, or has become known.
  case clockSet
  /// The same for those outside: the present local time, and whether it is known.
  case clock(LocalTime, isKnown: Bool)
  /// The output has changed.
  case output(OutputFacts)
  /// A track or the output has failed.
  case error(PlaybackError)
  /// The light shows something else.
  case light(Indicator)
  /// Removable storage has appeared, or is gone.
  case storage(path: String, isThere: Bool)
  /// The storage of a root does not answer, or answers again.
  case storageWait(path: String, isWaiting: Bool)
  /// The index is being brought up to date with a folder, or has been; how many of its tracks are others then.
  case library(root: String, isUpdating: Bool, changed: Int)
  /// Something was written about a song, or taken away.
  case sticker(path: String)
  /// Something has become of an announcement; so many are in line after the first.
  case announcement(Announcement, AnnouncementOutcome, waiting: Int)
  /// Something has become of the sound of the live source of that name.
  case source(String, LiveInputOutcome)
  /// Something about the output is worth a line in the log.
  case note(String)
  /// What was just done is worth remembering over a power cut.
  case checkpointDue
  /// The short sound for this error is due.
  case cueDue(PlaybackError)

  /// What it is about; nil for what only the daemon itself listens to.
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

/// What is told of a track besides itself.
struct TrackFacts {
  /// Its length, where that is known.
  var length: Seconds?
  /// Where it was left.
  var position: Seconds?
  /// Whether it was heard to its end.
  var isOver = false
}

/// What is told of an output.
struct OutputFacts {
  /// One line about it, as in `status`.
  var summary: String
  /// Whether it can play.
  var isThere: Bool
}

/// An event with its number and its time.
struct StampedEvent {
  /// Grows by one with each event that has a subject; 0 for those that have none.
  let id: UInt64
  /// Nanoseconds of the box's clock.
  let time: UInt64
  /// What has happened.
  let event: FeedEvent
}
