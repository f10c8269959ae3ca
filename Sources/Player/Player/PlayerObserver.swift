// What a player reports to whoever made it. Called on the control thread.

import PlaybackModel

/// Gets what a person may want to know, while the change is being handled. Class-bound, for Embedded Swift.
package protocol PlayerObserver: AnyObject {
  /// State, track or queue have changed.
  func playerDidChange(_ player: Player)
  /// Something went wrong; playing may well continue.
  func player(_ player: Player, reports error: PlaybackError)
  /// The decoder of a track died of an error and was restarted; playing continues.
  func player(_ player: Player, restarts track: Track, after error: PlaybackError)
  /// Something about the output is worth a line.
  func player(_ player: Player, notes text: String)
  /// What was just done is worth remembering over a power cut.
  func playerWantsCheckpoint(_ player: Player)
  /// The box's own short sound for this error is due.
  func player(_ player: Player, wantsCueFor error: PlaybackError)
  /// This track is being listened to from now on.
  func player(_ player: Player, began track: Track)
  /// This track is not listened to any more. It was left at a position in its frames; `isOver` where that is its end.
  func player(_ player: Player, left track: Track, at position: Frames, isOver: Bool)
  /// From now on a station calls its sound so.
  func player(_ player: Player, heard title: String, of track: Track)
  /// A station was joined anew, and so much of it, about, is left out.
  func player(_ player: Player, missed time: Seconds, of track: Track)
  /// Something has become of an announcement.
  func player(_ player: Player, announcement: Announcement, came outcome: AnnouncementOutcome)
}

extension PlayerObserver {
  package func player(_ player: Player, restarts track: Track, after error: PlaybackError) {}
  package func player(_ player: Player, missed time: Seconds, of track: Track) {}
  package func player(_ player: Player, heard title: String, of track: Track) {}
  package func playerWantsCheckpoint(_ player: Player) {}
  package func player(_ player: Player, wantsCueFor error: PlaybackError) {}
  package func player(_ player: Player, began track: Track) {}
  package func player(_ player: Player, left track: Track, at position: Frames, isOver: Bool) {}
  package func player(_ player: Player, announcement: Announcement, came outcome: AnnouncementOutcome) {}
}
