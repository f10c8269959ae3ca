// The value types of an announcement: its track, volume and ducking, and its outcome. Values; control thread.

import PlaybackModel

/// A short sound played over the music: a door bell, a timer, a spoken line.
package struct Announcement: Sendable {
  /// The announcement's file or stream.
  package internal(set) var track: Track
  /// The volume, subject to the configured limits; nil: the music's volume.
  package let volume: Volume?
  /// How much the music is lowered during the announcement, or whether it pauses.
  package let duck: AnnouncementDuck

  /// Creates an announcement.
  package init(_ track: Track, volume: Volume?, duck: AnnouncementDuck) {
    self.track = track
    self.volume = volume
    self.duck = duck
  }
}

/// A step in the life of an announcement, reported to the player's observer.
package enum AnnouncementOutcome: Sendable {
  /// Queued behind other announcements.
  case waits
  /// Its first frame is audible.
  case began
  /// Played to its end.
  case ended
  /// Removed from the queue or ended early by the user.
  case stopped
  /// Dropped because its output was lost; played later, an announcement would be out of date.
  case dropped
  /// Ended because it exceeded the maximum length.
  case cut
  /// It could not be played, or was cut short by an error.
  case failed(PlaybackError)
}
