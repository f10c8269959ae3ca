// The run loop of `Engine`, its integration into an embedder's loop, and the pacing of recordings. The engine's
// thread.

import Platform
import PlaybackModel
import Player
import RealtimeAudio

extension Engine {
  // MARK: Embedder's loop

  /// A descriptor that becomes readable when ``turn()`` has work, for `poll`, `epoll` and event libraries.
  ///
  /// It never changes; do not close it. Negative if the system had no descriptor left.
  ///
  /// ```swift
  /// var entry = pollfd(fd: engine.descriptor, events: Int16(POLLIN), revents: 0)
  /// while engine.state != .finished {
  ///   poll(&entry, 1, -1)
  ///   engine.turn()
  /// }
  /// ```
  public var descriptor: Int32 {
    if alarm == nil, let made = try? DeadlineDescriptor() {
      alarm = made
      _ = try? events.add(readable: made.descriptor) { made.set(nil) }
    }
    setAlarm()
    return alarm == nil ? -1 : events.descriptor
  }

  /// Handles due work and delivers events without blocking. An output without a clock renders at most a third of a
  /// second per call.
  public func turn() { turn(waits: false) }

  // MARK: Engine's loop

  /// Runs until the queue has been played to its end (including the frames queued in the output), has failed
  /// permanently, or ``quit()`` is called.
  ///
  /// While paused it waits for a command from ``onEvent`` or ``after(_:_:)``. On an output without a clock nothing
  /// could end a pause, so it returns. Returns at once if nothing is playing or about to play.
  public func run() {
    while !progress.isQuitting, !isAtRest { turn(waits: true) }
    progress.isQuitting = false
    settle()
  }

  /// Runs like ``run()``, but returns early once `isDone` is true.
  ///
  /// - Parameter isDone: Evaluated after each turn and at least 50 times per second.
  public func run(until isDone: () -> Bool) {
    let tick = DeadlineTimer(events)
    while !progress.isQuitting, !isAtRest, !isDone() {
      if !tick.isRunning { tick.start(after: 20_000_000) {} }
      turn(waits: true)
    }
    progress.isQuitting = false
    settle()
  }

  /// Makes ``run()`` return after the present turn. ``run()`` may be called again afterwards.
  public func quit() { progress.isQuitting = true }

  /// Calls `action` once on the engine's thread after a delay. It cannot be cancelled, and is not called after
  /// ``end()``.
  ///
  /// On an output without a clock the delay counts rendered music and is exact to the frame, for actions at a given
  /// time of a recording.
  ///
  /// - Parameters:
  ///   - seconds: The delay in seconds.
  ///   - action: The closure to call.
  public func after(_ seconds: Double, _ action: @escaping () -> Void) {
    guard !hasEnded else { return }
    _ = scheduler.after(UInt64(max(0, seconds) * 1e9), action)
    setAlarm()
  }

  // MARK: Turns

  /// Whether nothing more will happen without a command: the queue has been played or has failed, or nothing was
  /// started.
  package var isAtRest: Bool {
    if hasEnded { return true }
    let state = player.machine.state
    if case .idle = state { return !mayGoOn() }
    // A track that has used up its retries stays failed.
    let isGivenUp = state.kind == .failed && player.retryDue == nil
    if state.isTerminal || isGivenUp {
      return !context.hasScript() && (offline != nil || progress.isHeardOut)
    }
    guard let offline, !mayGoOn(), offline.nextDeadline == nil else { return false }
    switch state {
    case .paused, .crossfadePaused, .ready: return host.link.isParked
    default: return false
    }
  }

  private func mayGoOn() -> Bool { context.hasScript() || context.isListening() }

  /// Handles due work. With `waits`, blocks until the first work is due.
  package func turn(waits: Bool) {
    guard !hasEnded else { return }
    if let offline { record(offline, waits: waits) } else { play(waits: waits) }
    settle()
  }

  private func play(waits: Bool) {
    events.turn(waits: waits)
    guard player.machine.state.isTerminal else {
      progress.isHeardOut = false
      return endTimer.stop()
    }
    // The end counts once the frames in the device's own queue have had time to play.
    if !progress.isHeardOut, !endTimer.isRunning {
      endTimer.start(after: 100_000_000) { [unowned(unsafe) self] in progress.isHeardOut = true }
    }
  }

  /// Renders one chunk of a recording, but only while no pending decoder report could affect it and only up to the
  /// next timer. So the recording does not depend on the machine's speed.
  private func record(_ clock: OfflineScheduler, waits: Bool) {
    events.turn(waits: false)
    player.takeReports()
    guard !isAtRest else { return }
    guard player.isSettled(for: chunk) else { return awaitDecoders(waits) }
    progress.decoderWait = 0
    if clock.fire() { return }
    setLimit()
    if host.step() {
      clock.advance(to: time(of: host.frame))
    } else if !isAtRest {
      awaitDecoders(waits)
    }
  }

  private func awaitDecoders(_ waits: Bool) {
    // Polling starts at 1 ms, within which a fast decoder fills its ring, and backs off to 4 ms: each poll costs as
    // much as rendering some thousand frames.
    progress.decoderWait = min(max(1_000_000, progress.decoderWait * 2), 4_000_000)
    player.awaitDecoders(for: chunk)
    guard waits else { return }
    _ = events.after(progress.decoderWait) {}
    events.turn(waits: true)
  }

  /// The maximum number of frames rendered per step of a recording.
  private var chunk: Frames { Frames(Int64(BufferStrategy.longestChunk(at: SampleRate(rate)))) }

  /// Limits rendering to the next frame at which the script or, in a recording, a timer is due.
  package func setLimit() {
    var limit = context.limit()
    if let deadline = offline?.nextDeadline { limit = min(limit, frame(at: deadline)) }
    host.link.setLimit(limit)
  }

  /// The start time of a recording's frame, in nanoseconds.
  private func time(of frame: Frames) -> UInt64 {
    let hertz = Int64(rate)
    return UInt64(frame.count / hertz) * 1_000_000_000
      + UInt64(frame.count % hertz * 1_000_000_000 / hertz)
  }

  /// The first frame of a recording that starts at or after a time in nanoseconds.
  private func frame(at time: UInt64) -> Int64 {
    let rest = Int64(time % 1_000_000_000) * Int64(rate)
    return Int64(time / 1_000_000_000) * Int64(rate) + (rest + 999_999_999) / 1_000_000_000
  }

  func setAlarm() {
    guard let alarm else { return }
    // `turn()` does nothing any more, so the descriptor must not stay readable.
    guard !hasEnded else { return alarm.set(nil) }
    guard offline != nil else { return alarm.set(events.nextDeadline) }
    alarm.set(isAtRest ? nil : events.now + progress.decoderWait)
  }
}

/// State of the engine's run loop.
struct EngineProgress {
  /// Whether ``Engine/run()`` should return.
  var isQuitting = false
  /// Whether the frames queued in the output at the end of the last track have been played.
  var isHeardOut = false
  /// Polling interval in nanoseconds while rendering waits for a decoder; 0 while it does not wait.
  var decoderWait: UInt64 = 0
  /// Whether ``Engine/end()`` was called.
  var hasEnded = false
}

/// Hooks by which the `swiftlet play` program influences an engine's run loop.
package struct EngineContext {
  /// Whether a script has further commands, so that the end of the queue does not end the run.
  package var hasScript: () -> Bool = { false }
  /// Whether the user can still give commands when nothing is playing.
  package var isListening: () -> Bool = { false }
  /// The first frame that must not be rendered yet.
  package var limit: () -> Int64 = { .max }
}
