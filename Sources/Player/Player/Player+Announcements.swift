// Announcements: short sounds over whatever is played, by the third deck. Control thread only; never waits.

import PlaybackModel
import RealtimeAudio

/// Why an announcement is not put in line.
package enum AnnouncementRefusal: Hashable, Sendable {
  /// There is no output that it could be heard on.
  case noOutput
  /// So many are in line already.
  case full(Int)
}

extension Player {
  /// How loud an announcement may be; asked when it begins, and at `followAnnouncementVolume`.
  package var announcementGain: (Announcement) -> Gain {
    get { decks.announcements.gain }
    set { decks.announcements.gain = newValue }
  }

  /// Those in line. The first one sounds, or is about to.
  package var announcements: [Announcement] { decks.announcements.line }

  /// The error of the last announcement that failed; nil once another one is heard.
  package var announcementError: PlaybackError? { decks.announcements.lastError }

  /// Puts an announcement in line: it is opened at once where it is the first.
  ///
  /// - Returns: Why that is impossible; nil where it is in line. What becomes of it, the observer learns.
  package func announce(_ announcement: Announcement) -> AnnouncementRefusal? {
    takeReports()
    guard !machine.outputIsLost else { return .noOutput }
    guard decks.announcements.add(announcement) else { return .full(AnnouncementDeck.limit) }
    settling.runSoon()
    return nil
  }

  /// Ends the announcement that sounds, within 50 ms, and forgets those that wait.
  package func stopAnnouncements() {
    takeReports()
    decks.announcements.stop()
    settling.runSoon()
  }

  /// Has the announcement that sounds follow a volume or limit that has changed.
  package func followAnnouncementVolume() {
    guard decks.announcements.isSounding, !isOverloaded else { return }
    decks.announcements.followVolume()
    settling.runSoon()
  }

  /// Lets the third deck call back.
  func connectAnnouncements() {
    decks.announcements.onDue = { [unowned(unsafe) self] in hearDecoders() }
    decks.announcements.onRestart = { [unowned(unsafe) self] in
      failures.noteRestart()
      observer?.player(self, restarts: $0, after: $1)
    }
    decks.announcements.onOutcome = { [unowned(unsafe) self] in
      observer?.player(self, announcement: $0, came: $1)
    }
  }
}
