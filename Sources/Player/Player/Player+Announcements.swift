// The player's interface for announcements: short sounds played over the music. Control thread only; never blocks.

import PlaybackModel
import RealtimeAudio

/// The reason why an announcement is refused.
package enum AnnouncementRefusal: Hashable, Sendable {
  /// The output is missing.
  case noOutput
  /// The queue already holds this number of announcements.
  case full(Int)
}

extension Player {
  /// Computes an announcement's gain. Evaluated when it begins and by `followAnnouncementVolume`.
  package var announcementGain: (Announcement) -> Gain {
    get { decks.announcements.gain }
    set { decks.announcements.gain = newValue }
  }

  /// The queued announcements. The first is playing or about to play.
  package var announcements: [Announcement] { decks.announcements.line }

  /// The error of the last failed announcement; nil once another one is audible.
  package var announcementError: PlaybackError? { decks.announcements.lastError }

  /// Appends an announcement to the queue and opens it if it is the first. The observer receives its outcome.
  ///
  /// - Returns: The reason of a refusal; nil if it was queued.
  package func announce(_ announcement: Announcement) -> AnnouncementRefusal? {
    takeReports()
    guard !machine.outputIsLost else { return .noOutput }
    guard decks.announcements.add(announcement) else { return .full(AnnouncementDeck.limit) }
    settling.runSoon()
    return nil
  }

  /// Ends the playing announcement within 50 ms and drops the queued ones.
  package func stopAnnouncements() {
    takeReports()
    decks.announcements.stop()
    settling.runSoon()
  }

  /// Applies a changed volume or limit to the playing announcement.
  package func followAnnouncementVolume() {
    guard decks.announcements.isSounding, !isOverloaded else { return }
    decks.announcements.followVolume()
    settling.runSoon()
  }

  /// Installs the callbacks of the announcement deck.
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
