// A sound card in virtual time that records its output and can be unplugged. Test threads; never blocks.

import Platform
import PlaybackModel
import RealtimeAudio

final class VirtualOutput: PCMDevice, @unchecked Sendable {
  let rate = SampleRate(44100)
  let format = SampleFormat.float32
  let channels = 2
  let strategy: BufferStrategy = .deep(queue: 22_050, margin: 441)
  let bufferFrames = 22_050

  /// The output: left, right, left …
  private(set) var heard: [Float] = []
  private(set) var clock: UInt64 = 1_000_000_000
  private var queue: [Float] = []
  private var isRunning = false
  private var startedAt: UInt64 = 0
  private var playedSinceStart = 0
  private var isDry = false
  private(set) var isUnplugged = false

  func unplug() {
    isUnplugged = true
    isRunning = false
    queue.removeAll()
  }

  func plugIn() { isUnplugged = false }

  /// Advances the clock and plays the frames that are due.
  func advance(_ nanoseconds: UInt64) {
    clock += nanoseconds
    guard isRunning else { return }
    let due = Int(Double(clock - startedAt) * Double(rate.hertz) / 1e9) - playedSinceStart
    let taken = min(due, queue.count / 2)
    heard += queue[..<(2 * taken)]
    queue.removeFirst(2 * taken)
    playedSinceStart += taken
    if taken < due { (isRunning, isDry) = (false, true) }
  }

  private func check() throws(PCMFault) {
    if isUnplugged { throw .lost }
    if isDry { throw .underrun }
  }

  func prepare() throws(PCMFault) {
    isDry = false
    try check()
    queue.removeAll()
    isRunning = false
  }

  func start() throws(PCMFault) {
    try check()
    (isRunning, startedAt, playedSinceStart) = (true, clock, 0)
  }

  func available() throws(PCMFault) -> Int {
    try check()
    return bufferFrames - queue.count / 2
  }

  func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int {
    try check()
    let taken = min(frames, bufferFrames - queue.count / 2)
    queue += UnsafeBufferPointer(start: bytes.assumingMemoryBound(to: Float.self), count: 2 * taken)
    return taken
  }

  func rewind(_ frames: Int) -> Int {
    let taken = min(frames, queue.count / 2)
    queue.removeLast(2 * taken)
    return taken
  }

  func stop() {
    isRunning = false
    queue.removeAll()
  }

  func reopen() -> Bool {
    isDry = false
    return !isUnplugged
  }

  func now() -> UInt64 { clock }
  func wait(_ nanoseconds: Int64?) {}
  func wake() {}
}
