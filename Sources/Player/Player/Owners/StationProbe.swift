// Tries again and again whether a silent station gives sound, beside what is heard meanwhile. Control thread; never waits.

import PlaybackModel
import Platform

/// Opens a station with a decoder of its own, until that is ready.
final class StationProbe {
  /// Called when there is sound again.
  var onSound: () -> Void = {}
  private let source: any DecoderSource
  private let timer: DeadlineTimer
  private let scheduler: any Scheduler
  private var backOff = BackOff(first: 1_000_000_000, longest: 30_000_000_000)
  private var wanted: (track: Track, position: Frames)?
  private var decoder: (any TrackDecoder)?
  private var former: (any TrackDecoder)?
  private let releaseTimer: DeadlineTimer

  init(_ scheduler: any Scheduler, _ source: any DecoderSource) {
    self.scheduler = scheduler
    self.source = source
    timer = DeadlineTimer(scheduler)
    releaseTimer = DeadlineTimer(scheduler)
  }

  /// When it is tried again, on the scheduler's clock; nil while it is tried, or not to be.
  var due: UInt64? { timer.deadline }

  /// Tries soon, and from then on less and less often.
  func begin() { backOff.reset() }

  /// Tries at once where it would be tried later, and then less and less often again.
  func retryNow() {
    guard timer.isRunning else { return }
    timer.stop()
    backOff.reset()
    attempt()
  }

  /// Goes on trying for a track.
  func look(for track: Track, at position: Frames) {
    if let wanted, wanted.track.id != track.id { rest() }
    wanted = (track, position)
    if decoder == nil, !timer.isRunning { tryLater() }
  }

  /// Tries no more, for now.
  func rest() {
    wanted = nil
    timer.stop()
    letGo()
  }

  /// A decoder may be what calls: it is released later.
  private func letGo() {
    guard let decoder else { return }
    decoder.terminate()
    self.decoder = nil
    former = decoder
    releaseTimer.start(after: 0) { [unowned(unsafe) self] in former = nil }
  }

  /// Calls nothing any more.
  func end() {
    rest()
    releaseTimer.stop()
    former = nil
    onSound = {}
  }

  private func tryLater() {
    timer.start(after: backOff.next(at: scheduler.now)) { [unowned(unsafe) self] in attempt() }
  }

  private func attempt() {
    guard let wanted else { return }
    do throws(PlaybackError) {
      let decoder = try source.open(wanted.track, at: wanted.position)
      decoder.onEvents = { [unowned(unsafe) self] in takeEvents() }
      self.decoder = decoder
    } catch {
      tryLater()
    }
  }

  private func takeEvents() {
    guard let decoder else { return }
    for event in decoder.takeEvents() where self.decoder != nil {
      switch event {
      case .ready:
        rest()
        onSound()
      case .failed, .died:
        letGo()
        tryLater()
      case .opened, .seeked, .ended, .titled, .leftOut, .measured: break
      }
    }
  }
}
