// Probes a silent station in the background, with exponential backoff, while a fallback plays. Control thread; never
// blocks.

import PlaybackModel
import Platform

/// Opens a silent station with a separate decoder until it delivers sound.
final class StationProbe {
  /// Called when the station has sound again.
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

  /// Time of the next attempt on the scheduler's clock, in nanoseconds; nil during an attempt or if none is
  /// scheduled.
  var due: UInt64? { timer.deadline }

  /// Resets the backoff, so that the first attempts follow quickly.
  func begin() { backOff.reset() }

  /// Starts a scheduled attempt now and resets the backoff.
  func retryNow() {
    guard timer.isRunning else { return }
    timer.stop()
    backOff.reset()
    attempt()
  }

  /// Probes for a track until `rest`. Probing for another track is ended first.
  func look(for track: Track, at position: Frames) {
    if let wanted, wanted.track.id != track.id { rest() }
    wanted = (track, position)
    if decoder == nil, !timer.isRunning { tryLater() }
  }

  /// Stops probing.
  func rest() {
    wanted = nil
    timer.stop()
    letGo()
  }

  /// Ends the decoder. Its object is released in the next turn, because this may run inside the decoder's own
  /// callback.
  private func letGo() {
    guard let decoder else { return }
    decoder.terminate()
    self.decoder = nil
    former = decoder
    releaseTimer.start(after: 0) { [unowned(unsafe) self] in former = nil }
  }

  /// Stops probing, releases the decoder and removes the callback.
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
