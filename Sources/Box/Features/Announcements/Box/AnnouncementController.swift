// Announcements: finds them, limits their volume and logs failures. Control thread.

import Console
import Media
import PlaybackModel
import Platform
import Player

/// Carries out `announce` and `announce stop`.
final class AnnouncementController {
  /// Nanoseconds between checks of the volume limit while an announcement plays, because the night limit may begin.
  private static let interval: UInt64 = 5_000_000_000

  private let outputs: OutputController
  private let volume: VolumeController
  private let media: MediaController
  private let log: Log
  private let timer: DeadlineTimer
  private var subscription: EventSubscription?

  init(
    _ outputs: OutputController, _ volume: VolumeController, _ media: MediaController,
    scheduler: any Scheduler, feed: EventFeed, log: Log
  ) {
    self.outputs = outputs
    self.volume = volume
    self.media = media
    self.log = log
    timer = DeadlineTimer(scheduler)
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      switch stamped.event {
      case .announcement(let announcement, let outcome, _): note(announcement, outcome)
      case .volume, .setting, .clockSet: outputs.openedPlayer?.followAnnouncementVolume()
      default: break
      }
    }
  }

  /// Supplies a new player with the gain of announcements.
  func attach(to player: Player) {
    player.announcementGain = { [unowned(unsafe) self] in gain(of: $0) }
  }

  /// Finds an announcement by name and enqueues it.
  ///
  /// - Parameters:
  ///   - name: Name of the file or stream; it must stand for exactly one track.
  ///   - volume: Percent; nil: the music's volume.
  ///   - duck: How much the music is lowered during the announcement.
  ///   - cancellation: Cancels the search.
  ///   - answer: Called with the reply once it is enqueued or has failed.
  func announce(
    _ name: String, volume: Int?, _ duck: AnnouncementDuck, until cancellation: Cancellation,
    _ answer: @escaping (Reply) -> Void
  ) {
    media.find([name], until: cancellation) { [unowned(unsafe) self] lookup in
      switch lookup {
      case .tracks(let found):
        guard found.tracks.count == 1 else {
          return answer(
            .failed("'\(name)' has \(found.tracks.count) tracks; an announcement is a single track"))
        }
        answer(
          announce(
            Announcement(found.tracks[0], volume: volume.map { Volume(Float($0)) }, duck: duck)
          ).adding(found.note))
      case .refused(let error): answer(.error(error))
      }
    }
  }

  /// Stops the current announcement and drops the waiting ones.
  func stop() -> Reply {
    let count = outputs.player.announcements.count
    outputs.player.stopAnnouncements()
    return .ok(
      count == 0 ? "nothing is announced" : count == 1 ? "stopped" : "stopped; \(count - 1) forgotten")
  }

  /// Stops checking the volume limit.
  func end() { timer.stop() }

  private func announce(_ announcement: Announcement) -> Reply {
    let player = outputs.player
    switch player.announce(announcement) {
    case .noOutput?:
      return .failed("there is no sound output; an announcement would come too late: it is dropped")
    case .full(let count)?:
      return .failed("\(count) announcements are in line already; 'announce stop' forgets them")
    case nil:
      let place = player.announcements.count
      return .ok(
        place > 1 ? "announced after \(place - 1 == 1 ? "another one" : "\(place - 1) others")" : "announced")
    }
  }

  /// Gain of an announcement: the requested volume, or the music's volume (audible even if that is turned down), within
  /// the current limit.
  private func gain(of announcement: Announcement) -> Gain {
    guard let wanted = announcement.volume else { return volume.soundGain() }
    return volume.gain(min(wanted.percent, Float(volume.most)))
  }

  private func note(_ announcement: Announcement, _ outcome: AnnouncementOutcome) {
    switch outcome {
    case .failed(let error):
      // The remedies of network errors promise a retry, which announcements do not have.
      let remedy =
        error.kind == .network ? "Check the address and the network, and announce it again." : error.remedy
      log.write(.error, "The announcement: " + error.sentence + " " + remedy)
    case .dropped:
      log.write(
        .warning, "The announcement \(announcement.track.displayName) was dropped: the output is gone.")
    case .cut:
      log.write(
        .warning,
        "The announcement \(announcement.track.displayName) was cut: it exceeded the longest announcement.")
    case .began: watch()
    case .waits, .ended, .stopped: break
    }
  }

  private func watch() {
    guard !timer.isRunning else { return }
    timer.start(after: Self.interval) { [unowned(unsafe) self] in
      guard let player = outputs.openedPlayer, !player.announcements.isEmpty else { return }
      player.followAnnouncementVolume()
      watch()
    }
  }
}
