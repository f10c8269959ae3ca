// Reports of the audio loop to the control thread: mixer events once they are audible, and positions. Audio thread.

import PlaybackModel
import Synchronization

extension AudioLoop {
  /// Reports the mixer events that are final.
  ///
  /// An event is final once its frame has been audible, since until then a rewind may revoke it. With a limit, while
  /// stopped, or in a recording, rendered frames are final at once, and the player must get their events before it
  /// sends further commands.
  ///
  /// - Returns: Whether any event was reported.
  @discardableResult
  func deliverEvents() -> Bool {
    let upTo = hasLimit || !progress.isStarted || isOffline ? mixer.frame.count : progress.heard - 1
    var isAny = false
    while link.reports.hasRoom(forMoreThan: 8), let event = mixer.takeEvent(heardUpTo: Frames(upTo)) {
      _ = link.reports.push(.mixer(event))
      isAny = true
    }
    if isAny { link.notifyControl() }
    return isAny
  }

  /// Reports once that rendering has reached the limit.
  func reportLimit() {
    let limit = limit
    guard hasLimit, mixer.frame.count >= limit, reported.limit != limit else { return }
    if isOffline { progress.hear(upTo: mixer.frame.count) }
    deliverEvents()
    publish(steadyUntil: mixer.steadyUntil(from: Frames(progress.heard)))
    reported.limit = limit
    report(.limitReached(Frames(limit)))
  }

  func report(_ report: AudioReport) {
    _ = link.reports.push(report)
    link.notifyControl()
  }

  /// Publishes the playback position.
  ///
  /// - Parameter steadyUntil: The frame from which on the movement may change.
  func publish(steadyUntil: Frames) {
    if mixer.hasLiveInput { mixer.tellLiveInput(heard: progress.heard, at: progress.heardAt) }
    let isRunning = if case .running = phase { true } else { false }
    var reading = PositionReading(
      positions: mixer.positions(at: Frames(progress.heard)), time: progress.heardAt, isRunning: isRunning)
    reading.handedOver = Frames(progress.handedOver)
    reading.steadyUntil = steadyUntil
    link.publish(reading)
  }
}
