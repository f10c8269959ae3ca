// Simulated sound card for conversation trials, without latency or faults. Passes what it plays to an `Ear`. One
// thread; called by the audio loop and by the trial.

import PlaybackModel
import RealtimeAudio

/// Sound card that plays frame by frame and can rewind what it has not played.
final class TrialCard: PCMDevice, @unchecked Sendable {
  let rate: SampleRate
  let format = SampleFormat.float32
  let channels = 2
  let strategy: BufferStrategy
  let bufferFrames: Int
  private let clock: TrialClock
  private let ear: Ear
  private let buffer: UnsafeMutablePointer<Float>
  private var written: Int64 = 0
  private var played: Int64 = 0
  private var isRunning = false
  private var startedAt: UInt64 = 0
  private var startFrame: Int64 = 0
  private var hasRunDry = false
  private var isWoken = true

  init(_ clock: TrialClock, rate: SampleRate, isDeep: Bool, ear: Ear) {
    self.clock = clock
    self.rate = rate
    self.ear = ear
    bufferFrames = rate.hertz / 2
    strategy =
      isDeep ? .deep(queue: bufferFrames, margin: rate.hertz / 100) : .shallow(queue: rate.hertz / 25)
    buffer = .allocate(capacity: bufferFrames * 2)
    buffer.initialize(repeating: 0, count: bufferFrames * 2)
  }

  deinit { buffer.deallocate() }

  /// Plays all frames that are due by now.
  func advance() {
    guard isRunning else { return }
    let passed = Int64((clock.now - startedAt) / 1000 * UInt64(rate.hertz) / 1_000_000)
    let due = startFrame + passed
    while played < min(due, written) {
      let place = Int(played % Int64(bufferFrames))
      let count = min(Int(min(due, written) - played), bufferFrames - place)
      ear.hear(buffer + 2 * place, frames: count)
      played += Int64(count)
    }
    guard due > written else { return }
    isRunning = false
    hasRunDry = true
    ear.pauseHearing()
  }

  private func check() throws(PCMFault) {
    advance()
    if hasRunDry { throw .underrun }
  }

  func prepare() throws(PCMFault) {
    advance()
    isRunning = false
    hasRunDry = false
    written = played
  }

  func start() throws(PCMFault) {
    try check()
    (isRunning, startedAt, startFrame) = (true, clock.now, played)
  }

  func available() throws(PCMFault) -> Int {
    try check()
    return bufferFrames - Int(written - played)
  }

  func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int {
    try check()
    let count = max(0, min(frames, bufferFrames - Int(written - played)))
    var done = 0
    while done < count {
      let place = Int((written + Int64(done)) % Int64(bufferFrames))
      let part = min(count - done, bufferFrames - place)
      UnsafeMutableRawPointer(buffer + 2 * place).copyMemory(from: bytes + done * 8, byteCount: part * 8)
      done += part
    }
    written += Int64(count)
    return count
  }

  func rewind(_ frames: Int) -> Int {
    advance()
    let count = max(0, min(frames, Int(written - played)))
    written -= Int64(count)
    return count
  }

  func stop() {
    advance()
    if isRunning { ear.pauseHearing() }
    isRunning = false
    written = played
  }

  func reopen() -> Bool { true }
  func now() -> UInt64 { clock.now }
  func wait(_ nanoseconds: Int64?) {}
  func wake() { isWoken = true }

  /// Whether the loop was woken since the last call.
  func takeWake() -> Bool {
    defer { isWoken = false }
    return isWoken
  }
}
