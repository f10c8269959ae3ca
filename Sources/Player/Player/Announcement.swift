// What an announcement is, and what becomes of it. Values; control thread.

import PlaybackModel

/// A short sound over whatever is played: a door bell, a timer, a spoken line.
package struct Announcement: Sendable {
  /// Its file, or the address of its stream.
  package internal(set) var track: Track
  /// How loud, within the limits; nil: as loud as the music.
  package let volume: Volume?
  /// What the music does meanwhile.
  package let duck: AnnouncementDuck

  /// An announcement.
  package init(_ track: Track, volume: Volume?, duck: AnnouncementDuck) {
    self.track = track
    self.volume = volume
    self.duck = duck
  }
}

/// What has become of an announcement.
package enum AnnouncementOutcome: Sendable {
  /// It waits for those before it.
  case waits
  /// Its first frame is heard.
  case began
  /// It was heard to its end.
  case ended
  /// It was taken back, or ended early, because somebody asked for that.
  case stopped
  /// It was dropped with the output that it was for: said late it would be worth nothing.
  case dropped
  /// It went on for longer than announcements may.
  case cut
  /// It could not be played, or broke off.
  case failed(PlaybackError)
}
