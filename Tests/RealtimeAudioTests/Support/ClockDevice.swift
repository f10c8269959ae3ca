// A sound card in virtual time that records nothing and allocates nothing after its creation, so that
// findings of the sanitizer or the kernel are the loop's. Test threads.
import PlaybackModel
import RealtimeAudio

final class ClockDevice: PCMDevice, @unchecked Sendable {
  let rate = SampleRate(44100)
  let format: SampleFormat
  let channels = 2
  let bufferFrames = 22050
  private(set) var strategy: BufferStrategy
  /// The fault of its next call; cleared by that call, except for a loss.
  var fault: PCMFault?
  private(set) var clock: UInt64 = 1_000_000_000
  private var written: Int64 = 0
  private var startedAt: UInt64?

  init(_ strategy: BufferStrategy = .deep(queue: 22050, margin: 441), format: SampleFormat = .s16) {
    self.strategy = strategy
    self.format = format
  }

  private var played: Int64 {
    startedAt.map { Int64(Double(clock - $0) * Double(rate.hertz) / 1e9) } ?? 0
  }

  private func check() throws(PCMFault) {
    guard let fault else { return }
    if fault != .lost { self.fault = nil }
    throw fault
  }

  func prepare() throws(PCMFault) {
    try check()
    written = 0
    startedAt = nil
  }

  func start() throws(PCMFault) {
    try check()
    startedAt = clock
  }

  func available() throws(PCMFault) -> Int {
    try check()
    guard startedAt == nil || written >= played else { throw .underrun }
    return bufferFrames - Int(written - played)
  }

  func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int {
    let taken = min(frames, try available())
    written += Int64(taken)
    return taken
  }

  func rewind(_ frames: Int) -> Int {
    let taken = max(0, min(Int64(frames), written - played))
    written -= taken
    return Int(taken)
  }

  func stop() { startedAt = nil }
  func forgoRewinding() { strategy = .shallow(queue: 1764) }
  func reopen() -> Bool { fault == nil }
  func now() -> UInt64 { clock }
  func wait(_ nanoseconds: Int64?) { clock += UInt64(max(1, nanoseconds ?? 1_000_000_000)) }
  func wake() {}
}
