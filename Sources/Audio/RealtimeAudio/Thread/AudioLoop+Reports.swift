// What the loop reports to the control thread: events once they are heard, and positions. Audio thread.

import PlaybackModel
import Synchronization

extension AudioLoop {
  /// Reports what has been heard: what lies on a frame when that frame has been, since until then it may be
  /// taken back. With a limit, at rest or in a recording, whatever is rendered stands: nothing will take it back.
  /// The player must know of it before it acts on anything else. Whether there was anything.
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

  /// Reports, once, that rendering stands at the limit.
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

  /// Publishes where the sound is. `steadyUntil` is the frame from which on it may move otherwise.
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
