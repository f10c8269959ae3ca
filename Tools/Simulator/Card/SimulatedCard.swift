// Simulated sound card. Passes every frame played to a listener, with the time at which it was heard. One thread;
// called by the audio loop and by the simulation.

import PlaybackModel
import RealtimeAudio

/// Receives what a simulated card plays.
protocol CardListener: AnyObject {
  /// Called for frames that were played.
  /// - Parameters:
  ///   - samples: Interleaved stereo.
  ///   - frames: Number of frames.
  ///   - time: When the first frame was heard, in nanoseconds.
  func heard(_ samples: UnsafePointer<Float>, frames: Int, at time: UInt64)
  /// Called when the audio loop learns that the card stopped by itself.
  /// - Parameters:
  ///   - since: When the card stopped, in nanoseconds.
  ///   - unknown: Upper bound of the frames rendered since then without knowing what was heard.
  func cardStopped(since: UInt64, unknown: Int)
}

/// Sound card that behaves as its `CardPlan` and the script's faults specify.
final class SimulatedCard: PCMDevice, @unchecked Sendable {
  let rate: SampleRate
  let format = SampleFormat.float32
  let channels = 2
  let strategy: BufferStrategy
  let bufferFrames: Int

  private let scheduler: SimulatedScheduler
  private unowned let listener: any CardListener
  private let step: Int64
  private let nanosecondsPerFrame: Double
  private let buffer: UnsafeMutablePointer<Float>

  /// Frames written and frames played since the card was created.
  private var written: Int64 = 0
  private var played: Int64 = 0
  private var isRunning = false
  private var startedAt: UInt64 = 0
  private var startFrame: Int64 = 0
  /// Error of all calls until the card is prepared again.
  private var fault: PCMFault?
  /// When the card stopped by itself; nil once the loop knows.
  private var stoppedAt: UInt64?
  /// Since when the card is silent because it stopped by itself; nil if it has not, or plays again.
  private(set) var silentSince: UInt64?
  private(set) var isLost = false
  private(set) var isDeaf = false
  /// Calls left until the card is lost; nil if no loss is scheduled.
  private var callsLeft: Int?
  /// Whether the audio loop must run a turn.
  private(set) var isWoken = false

  init(_ plan: CardPlan, rate: SampleRate, scheduler: SimulatedScheduler, listener: any CardListener) {
    self.rate = rate
    self.scheduler = scheduler
    self.listener = listener
    let instant = Int(rate.frames(Seconds(0.01)).count)
    let short = Int(rate.frames(Seconds(0.04)).count)
    bufferFrames = Int(rate.frames(Seconds(Double(plan.buffer) / 1e9)).count)
    switch plan.mode {
    case .deep, .long:
      step = 1
      strategy = .deep(queue: bufferFrames, margin: instant)
    case .shallow:
      step = 1
      strategy = .shallow(queue: short)
    case .stepping(let frames):
      step = Int64(max(1, frames))
      strategy = .deep(queue: bufferFrames, margin: max(1, frames) * 2 + instant)
    case .batch(let frames):
      step = Int64(max(1, frames))
      strategy = .shallow(queue: max(short, 3 * frames))
    }
    nanosecondsPerFrame = 1e9 / (Double(rate.hertz) * (1 + Double(plan.drift) / 1e6))
    buffer = .allocate(capacity: bufferFrames * 2)
    buffer.initialize(repeating: 0, count: bufferFrames * 2)
  }

  deinit { buffer.deallocate() }

  /// Frames queued for playback.
  var queued: Int { Int(written - played) }

  /// Plays all frames that are due by now.
  func advance() {
    guard isRunning else { return }
    let passed = Double(scheduler.now - startedAt) / nanosecondsPerFrame
    let due = startFrame + Int64(passed)
    play(upTo: min(due, written))
    guard due > written else { return }
    // The underrun began when the last written frame was over.
    stop(with: .underrun, at: time(of: written))
  }

  private func time(of frame: Int64) -> UInt64 {
    startedAt + UInt64(Double(frame - startFrame) * nanosecondsPerFrame)
  }

  private func play(upTo end: Int64) {
    while played < end {
      let place = Int(played % Int64(bufferFrames))
      let count = min(Int(end - played), bufferFrames - place)
      silentSince = nil
      listener.heard(buffer + 2 * place, frames: count, at: time(of: played))
      played += Int64(count)
    }
  }

  private func stop(with fault: PCMFault, at time: UInt64) {
    if isRunning { silentSince = time }
    isRunning = false
    self.fault = fault
    stoppedAt = stoppedAt ?? time
  }

  // MARK: Faults

  func lose(afterCalls calls: Int) {
    if calls > 0 { callsLeft = calls } else { lose() }
  }

  private func lose() {
    advance()
    callsLeft = nil
    isLost = true
    stop(with: .lost, at: scheduler.now)
  }

  func comeBack() {
    callsLeft = nil
    isLost = false
  }

  func becomeDeaf() { isDeaf = true }

  func suspend() {
    advance()
    if isRunning { stop(with: .suspended, at: scheduler.now) }
  }

  // MARK: PCMDevice

  private func check() throws(PCMFault) {
    if let left = callsLeft {
      callsLeft = left - 1
      if left <= 1 { lose() }
    }
    advance()
    guard let fault = isLost ? .lost : fault else { return }
    if let since = stoppedAt {
      stoppedAt = nil
      let unknown = Double(scheduler.now - since) / nanosecondsPerFrame
      // 4 more for rounding at both ends and for frames of a ramp at zero gain.
      listener.cardStopped(since: since, unknown: Int(unknown) + 4)
    }
    throw fault
  }

  func prepare() throws(PCMFault) {
    if fault != nil, !isLost { stoppedAt = nil }
    fault = nil
    try check()
    isRunning = false
    written = played
  }

  func start() throws(PCMFault) {
    try check()
    (isRunning, startedAt, startFrame) = (true, scheduler.now, played)
  }

  func available() throws(PCMFault) -> Int {
    try check()
    return bufferFrames - Int(written - reported)
  }

  /// The position that the card reports, rounded down to its step.
  private var reported: Int64 { played - (played - startFrame) % step }

  func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int {
    try check()
    let room = bufferFrames - Int(written - reported)
    let count = max(0, min(frames, room))
    var done = 0
    while done < count {
      let place = Int((written + Int64(done)) % Int64(bufferFrames))
      let part = min(count - done, bufferFrames - place)
      UnsafeMutableRawPointer(buffer + 2 * place)
        .copyMemory(from: bytes + done * 8, byteCount: part * 8)
      done += part
    }
    written += Int64(count)
    return count
  }

  func rewind(_ frames: Int) -> Int {
    guard !isDeaf, (try? check()) != nil else { return 0 }
    let count = max(0, min(frames, Int(written - played)))
    written -= Int64(count)
    return count
  }

  func stop() {
    advance()
    isRunning = false
    written = played
  }

  func reopen() -> Bool {
    guard !isLost else { return false }
    fault = nil
    stoppedAt = nil
    return true
  }

  func now() -> UInt64 { scheduler.now }
  func wait(_ nanoseconds: Int64?) {}
  func wake() { isWoken = true }

  /// Whether the loop was woken since the last call.
  func takeWake() -> Bool {
    defer { isWoken = false }
    return isWoken
  }
}
