// Forwards the player's observer callbacks to the event feed. Control thread only.

import PlaybackModel
import Player
import SwiftletEngine

/// The player's observer. Survives the replacement of the player when the output changes.
final class PlayerEvents: PlayerObserver {
  private let feed: EventFeed
  private unowned(unsafe) let user: any OutputUser
  private var transitions = TransitionCursor()
  private var light: Indicator?
  private var queueVersion: UInt64?
  private var output = OutputFacts(summary: "", isThere: false)

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - feed: Receives the events.
  ///   - user: Chooses the light pattern.
  init(_ feed: EventFeed, _ user: any OutputUser) {
    self.feed = feed
    self.user = user
  }

  /// Starts observing a player.
  ///
  /// - Parameters:
  ///   - player: The player.
  ///   - facts: Its output.
  func attach(to player: Player, _ facts: OutputFacts) {
    transitions.skip(player.machine.history)
    player.observer = self
    output = facts
    // Keep the values of the former player, so that differences are reported; the very first values are not a change.
    light = light ?? user.indicator(of: player.machine.state)
    queueVersion = queueVersion ?? player.queue.revision
    feed.post(.output(facts))
  }

  /// Posts a queue event if the queue has changed.
  func noteQueue(of player: Player) {
    guard queueVersion != player.queue.revision else { return }
    queueVersion = player.queue.revision
    feed.post(.queue(version: player.queue.revision, tracks: player.queue.count))
  }

  /// Posts a light event if the light pattern has changed.
  func noteLight(of player: Player) {
    let shown = user.indicator(of: player.machine.state)
    guard shown != light else { return }
    light = shown
    feed.post(.light(shown))
  }

  private func noteOutput(isLost: Bool) {
    guard output.isThere == isLost else { return }
    output.isThere = !isLost
    feed.post(.output(output))
  }

  func playerDidChange(_ player: Player) {
    for transition in transitions.new(in: player.machine.history) { feed.post(.transition(transition)) }
    noteLight(of: player)
    noteOutput(isLost: player.machine.outputIsLost)
    noteQueue(of: player)
    feed.post(.adjusted)
  }

  func player(_ player: Player, reports error: PlaybackError) { feed.post(.error(error)) }

  func player(_ player: Player, notes note: PlayerNote) {
    feed.post(.note(note.text))
  }

  func playerWantsCheckpoint(_ player: Player) { feed.post(.checkpointDue) }
  func player(_ player: Player, wantsCueFor error: PlaybackError) { feed.post(.cueDue(error)) }

  func player(_ player: Player, began track: Track) {
    let rate = player.machine.settings.rate
    feed.post(.began(track, TrackFacts(length: track.length.map { rate.seconds($0) })))
  }

  func player(_ player: Player, heard title: String, of track: Track) { feed.post(.titled(title, track)) }

  func player(_ player: Player, missed time: Seconds, of track: Track) { feed.post(.missed(time, track)) }

  func player(_ player: Player, restarts track: Track, after error: PlaybackError) {
    feed.post(.restarted(track, error))
  }

  func player(_ player: Player, announcement: Announcement, came outcome: AnnouncementOutcome) {
    feed.post(.announcement(announcement, outcome, waiting: max(0, player.announcements.count - 1)))
  }

  func player(_ player: Player, left track: Track, at position: Frames, isOver: Bool) {
    let rate = player.machine.settings.rate
    feed.post(
      .left(
        track,
        TrackFacts(
          length: track.length.map { rate.seconds($0) }, position: rate.seconds(position), isOver: isOver)))
  }
}
