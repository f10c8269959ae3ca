// Stream fallback: plays `stream.fallback` while a radio stream is silent, and returns when it is back. Control thread;
// never blocks.

import Console
import Media
import PlaybackModel
import Platform
import Player

/// Starts and ends the fallback music.
final class FallbackController {
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let media: MediaController
  private let log: Log
  /// Delay before the fallback starts.
  private let timer: DeadlineTimer
  /// Retries a failed stream for which the player has no retry scheduled.
  private let retryTimer: DeadlineTimer
  /// Returns to the stream on the next turn of the event loop.
  private let returnTimer: DeadlineTimer
  /// Nanoseconds between those retries.
  private static let retryInterval: UInt64 = 60_000_000_000
  /// The silent stream that the fallback replaced at the last update; nil: none.
  private var replaced: Track?
  /// Whether the fallback could not be played; it is not tried again until other music has played.
  private var hasFailed = false
  private var search = Cancellation()
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ media: MediaController,
    scheduler: any Scheduler, feed: EventFeed, log: Log
  ) {
    self.configuration = configuration
    self.outputs = outputs
    self.media = media
    self.log = log
    timer = DeadlineTimer(scheduler)
    retryTimer = DeadlineTimer(scheduler)
    returnTimer = DeadlineTimer(scheduler)
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      switch stamped.event {
      case .transition, .adjusted: follow()
      case .setting:
        follow()
        leaveIfSwitchedOff()
      default: break
      }
    }
  }

  /// Stops all timers and searches.
  func end() {
    timer.stop()
    retryTimer.stop()
    returnTimer.stop()
    search.cancel()
  }

  private func follow() {
    guard let player = outputs.openedPlayer else { return }
    noteReturn(player)
    keepTrying(player)
    let state = player.machine.state
    switch state.kind {
    case .playing, .preparingCrossfade, .crossfading:
      if state.heardTrack?.isFallback == false { hasFailed = false }
    default: break
    }
    if isAwaited(player) {
      guard !timer.isRunning else { return }
      let wait = UInt64(configuration.settings.streamFallbackAfter.value * 1e9)
      timer.start(after: wait) { [unowned(unsafe) self] in begin() }
    } else {
      timer.stop()
      search.cancel()
    }
    guard player.silentStation != nil else { return }
    if case .failed(_, let track?, _, _) = state, track.isFallback {
      guard !hasFailed else { return }
      hasFailed = true
      log.write(.error, "Nothing of stream.fallback can be played; waiting for the stream.", isPublic: true)
      leaveLater()
    }
  }

  /// Returns to the stream at once after `set stream.fallback off`. If that fails, the player's own retries, which have
  /// a backoff, return to it later.
  private func leaveIfSwitchedOff() {
    guard configuration.settings.streamFallback == nil, outputs.openedPlayer?.silentStation != nil else {
      return
    }
    leaveLater()
  }

  /// Retries a failed stream at a fixed interval, since a network may be down for hours. A queue with further entries
  /// has advanced by now.
  private func keepTrying(_ player: Player) {
    guard case .failed(let error, let track?, _, .play) = player.machine.state, error.kind == .network,
      MediaList.isStream(track.path), player.retryDue == nil
    else { return retryTimer.stop() }
    guard !retryTimer.isRunning else { return }
    retryTimer.start(after: Self.retryInterval) { [unowned(unsafe) self] in
      outputs.openedPlayer?.handle(.retry)
    }
  }

  /// When a failed stream is retried for which the player has no retry scheduled, on the scheduler's clock in
  /// nanoseconds; nil: never.
  var retryDue: UInt64? { retryTimer.deadline }

  /// Whether a stream is silent and a fallback is configured but not yet playing.
  private func isAwaited(_ player: Player) -> Bool {
    guard configuration.settings.streamFallback != nil, !hasFailed, player.silentStation == nil,
      let track = player.silentTrack
    else { return false }
    return MediaList.isStream(track.path)
  }

  private func noteReturn(_ player: Player) {
    let station = player.silentStation
    defer { replaced = station }
    guard let former = replaced, station == nil else { return }
    if player.machine.state.heardTrack?.id == former.id {
      log.write(.info, "The stream is back: \(former.displayName).")
    }
  }

  private func begin() {
    guard let name = configuration.settings.streamFallback else { return }
    search.cancel()
    let search = Cancellation()
    self.search = search
    media.find([name], until: search) { [unowned(unsafe) self] lookup in
      guard !search.isSet, let player = outputs.openedPlayer, isAwaited(player),
        let station = player.silentTrack
      else { return }
      switch lookup {
      case .tracks(let found):
        if player.beginFallback(found.tracks) {
          replaced = station
          log.write(
            .warning, "The stream is silent: \(station.displayName); stream.fallback plays until it is back.")
        }
      case .refused(let error):
        hasFailed = true
        log.write(.error, "stream.fallback: \(error.sentence)")
      }
    }
  }

  /// On the next turn of the event loop, because this may be called from an event listener of the player.
  private func leaveLater() {
    returnTimer.start(after: 0) { [unowned(unsafe) self] in outputs.openedPlayer?.endFallback() }
  }
}
