// The engine's turns: in an embedder's loop, or in one of its own. The engine's thread.

import Platform
import PlaybackModel
import Player
import RealtimeAudio

extension Engine {
  // MARK: A loop of one's own

  /// Readable when ``turn()`` has something to do, for `poll`, `epoll` and everything made of them. It stays the same; never
  /// close it. Negative where the system had no descriptor left.
  public var descriptor: Int32 {
    if alarm == nil, let made = try? DeadlineDescriptor() {
      alarm = made
      _ = try? events.add(readable: made.descriptor) { made.set(nil) }
    }
    setAlarm()
    return alarm == nil ? -1 : events.descriptor
  }

  /// Does what is due, and delivers events. Does not wait; without a clock it renders a third of a second at most.
  public func turn() { turn(waits: false) }

  // MARK: A loop of the engine's

  /// Runs until the queue has been played or has failed for good, and what an output with a clock holds was heard; or until
  /// ``quit()``. While paused it waits; without a clock nothing could end that, and it returns. Where nothing plays or is
  /// about to, it returns at once.
  public func run() {
    while !progress.isQuitting, !isAtRest { turn(waits: true) }
    progress.isQuitting = false
    settle()
  }

  /// As ``run()``, but no longer than until `isDone` is true, which is asked after each turn and fifty times per second.
  public func run(until isDone: () -> Bool) {
    let tick = DeadlineTimer(events)
    while !progress.isQuitting, !isAtRest, !isDone() {
      if !tick.isRunning { tick.start(after: 20_000_000) {} }
      turn(waits: true)
    }
    progress.isQuitting = false
    settle()
  }

  /// Ends ``run()`` after the present turn; it may be called again.
  public func quit() { progress.isQuitting = true }

  /// Calls `action` on the engine's thread once so many seconds have passed: of the clock, or of the music where the output has
  /// none, on the very frame. For what is to happen at a time of a recording; it cannot be taken back.
  public func after(_ seconds: Double, _ action: @escaping () -> Void) {
    _ = scheduler.after(UInt64(max(0, seconds) * 1e9), action)
    setAlarm()
  }

  // MARK: Turns

  /// Whether nothing happens any more by itself: everything was played, or nothing was begun.
  package var isAtRest: Bool {
    if hasEnded { return true }
    let state = player.machine.state
    if case .idle = state { return !mayGoOn() }
    // What has failed too often is not tried again by itself.
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

  /// Does what is due; waits for the first thing to be due if `waits`.
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
    // What is still in the card's own queue is heard before the end.
    if !progress.isHeardOut, !endTimer.isRunning {
      endTimer.start(after: 100_000_000) { [unowned(unsafe) self] in progress.isHeardOut = true }
    }
  }

  /// Renders whenever nothing is open that could change what comes next, up to the next frame at which something is due:
  /// so a recording is the same whatever the machine's speed.
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
    // A quick decoder has filled its ring within a millisecond; each look at a slow one costs as much as some thousand frames.
    progress.decoderWait = min(max(1_000_000, progress.decoderWait * 2), 4_000_000)
    player.awaitDecoders(for: chunk)
    guard waits else { return }
    _ = events.after(progress.decoderWait) {}
    events.turn(waits: true)
  }

  /// Frames that a recording renders at once, at most.
  private var chunk: Frames { Frames(Int64(BufferStrategy.longestChunk(at: SampleRate(rate)))) }

  /// Holds rendering before the next frame at which the script or, in a recording, a timer has something to say.
  package func setLimit() {
    var limit = context.limit()
    if let deadline = offline?.nextDeadline { limit = min(limit, frame(at: deadline)) }
    host.link.setLimit(limit)
  }

  /// The time at which a frame of a recording begins.
  private func time(of frame: Frames) -> UInt64 {
    let hertz = Int64(rate)
    return UInt64(frame.count / hertz) * 1_000_000_000
      + UInt64(frame.count % hertz * 1_000_000_000 / hertz)
  }

  /// The first frame of a recording that does not begin before a time.
  private func frame(at time: UInt64) -> Int64 {
    let rest = Int64(time % 1_000_000_000) * Int64(rate)
    return Int64(time / 1_000_000_000) * Int64(rate) + (rest + 999_999_999) / 1_000_000_000
  }

  func setAlarm() {
    guard let alarm else { return }
    guard offline != nil else { return alarm.set(events.nextDeadline) }
    alarm.set(isAtRest ? nil : events.now + progress.decoderWait)
  }
}

/// How far the engine's turns have come.
struct EngineProgress {
  /// Whether ``Engine/run()`` is to end.
  var isQuitting = false
  /// Whether all was heard that the output held when the last track had ended.
  var isHeardOut = false
  /// Nanoseconds until a decoder that rendering waits for is looked at again; 0 while it waits for none.
  var decoderWait: UInt64 = 0
  /// Whether nothing can be asked any more.
  var hasEnded = false
}

/// What an engine asks of the program around it.
package struct EngineContext {
  /// Whether commands are to come at known times, so that an end is none.
  package var hasScript: () -> Bool = { false }
  /// Whether someone may still give a command when nothing else is to come.
  package var isListening: () -> Bool = { false }
  /// The frame before which nothing may be rendered.
  package var limit: () -> Int64 = { .max }
}
