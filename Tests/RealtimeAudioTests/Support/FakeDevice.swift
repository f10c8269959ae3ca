// A sound card in virtual time: its clock advances when the loop waits, it records its output, and it fails
// on request. Test threads; never blocks.
import PlaybackModel
import RealtimeAudio

final class FakeDevice: PCMDevice, @unchecked Sendable {
  /// A fault at a time of the device's clock.
  enum Mishap {
    case fault(PCMFault)
    /// The clock advances by some nanoseconds without the loop running.
    case stall(UInt64)
  }

  let rate: SampleRate
  let format: SampleFormat
  let channels: Int
  var strategy: BufferStrategy
  let bufferFrames: Int

  /// Maximum number of frames per write.
  var writeLimit = Int.max
  /// Maximum number of frames per rewind.
  var rewindLimit = Int.max
  /// Frames that it claims to hold, and rewinds, without having received them.
  var phantomFrames = 0
  /// Whether the next rewind finds the device lost.
  var isLostAtRewind = false
  var reopensFrom: UInt64 = 0
  /// The output as bytes, frame by frame.
  private(set) var heard: [UInt8] = []
  /// The time at which playback started, with the index of its first frame.
  private(set) var starts: [(frame: Int, time: UInt64)] = []
  private(set) var waits = 0
  private(set) var clock: UInt64 = 1_000_000_000

  private var queue: [UInt8] = []
  private var isRunning = false
  private var playedSinceStart = 0
  private var startedAt: UInt64 = 0
  private var fault: PCMFault?
  private var isWoken = false
  private var isEnded = false
  private var agenda: [(time: UInt64, action: () -> Void)] = []
  private var mishaps: [(time: UInt64, mishap: Mishap)] = []

  init(
    _ strategy: BufferStrategy = .deep(queue: 22050, margin: 441), format: SampleFormat = .float32,
    channels: Int = 2, rate: Int = 44100, buffer: Int = 22050
  ) {
    self.rate = SampleRate(rate)
    self.format = format
    self.channels = channels
    self.strategy = strategy
    bufferFrames = buffer
  }

  private var isOffline: Bool { if case .offline = strategy { true } else { false } }
  var frameBytes: Int { format.bytes * channels }
  var heardFrames: Int { heard.count / frameBytes }
  var queuedFrames: Int { queue.count / frameBytes }

  /// Runs `action` at a time of the clock, on the loop's thread.
  func at(_ time: UInt64, _ action: @escaping () -> Void) {
    agenda.append((time, action))
    agenda.sort { $0.time < $1.time }
  }

  func inject(_ mishap: Mishap, at time: UInt64) {
    mishaps.append((time, mishap))
    mishaps.sort { $0.time < $1.time }
  }

  /// The time at which a frame started to play.
  func time(ofFrame frame: Int) -> UInt64 {
    let start = starts.last { $0.frame <= frame }!
    return start.time + UInt64(Double(frame - start.frame) * 1e9 / Double(rate.hertz))
  }

  /// The output, for float32 stereo.
  var output: [Frame] {
    heard.withUnsafeBytes { raw in
      let samples = raw.bindMemory(to: Float.self)
      return (0..<samples.count / 2).map { Frame(samples[2 * $0], samples[2 * $0 + 1]) }
    }
  }

  /// Advances the clock and plays the frames that are due.
  private func advance(to time: UInt64) {
    while let next = mishaps.first, next.time <= time {
      mishaps.removeFirst()
      consume(upTo: max(next.time, clock))
      switch next.mishap {
      case .fault(let kind):
        fault = kind
        isRunning = false
        if kind != .suspended { queue.removeAll() }
      case .stall(let length):
        consume(upTo: time + length)
      }
    }
    consume(upTo: max(time, clock))
  }

  private func consume(upTo time: UInt64) {
    clock = max(clock, time)
    guard isRunning, !isOffline else { return }
    let due = Int(Double(time - startedAt) * Double(rate.hertz) / 1e9) - playedSinceStart
    let taken = min(due, queuedFrames)
    if taken > 0 {
      heard.append(contentsOf: queue[0..<taken * frameBytes])
      queue.removeFirst(taken * frameBytes)
      playedSinceStart += taken
    }
    if taken < due {
      isRunning = false
      fault = .underrun
    }
  }

  private func check() throws(PCMFault) {
    if let fault { throw fault }
  }

  func prepare() throws(PCMFault) {
    if fault == .lost { throw .lost }
    fault = nil
    queue.removeAll()
    isRunning = false
  }

  func start() throws(PCMFault) {
    try check()
    isRunning = true
    startedAt = clock
    playedSinceStart = 0
    starts.append((heardFrames, clock))
  }

  func available() throws(PCMFault) -> Int {
    try check()
    return isOffline ? bufferFrames : max(0, bufferFrames - queuedFrames - phantomFrames)
  }

  func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int {
    try check()
    let taken = min(frames, writeLimit, bufferFrames - queuedFrames)
    let taking = UnsafeRawBufferPointer(start: bytes, count: taken * frameBytes)
    if isOffline { heard.append(contentsOf: taking) } else { queue.append(contentsOf: taking) }
    return taken
  }

  func rewind(_ frames: Int) -> Int {
    if isLostAtRewind {
      isLostAtRewind = false
      fault = .lost
      return 0
    }
    let taken = min(frames, rewindLimit, queuedFrames)
    queue.removeLast(taken * frameBytes)
    return taken + min(frames - taken, phantomFrames)
  }

  func stop() {
    isRunning = false
    queue.removeAll()
  }

  func reopen() -> Bool {
    guard clock >= reopensFrom else { return false }
    fault = nil
    return true
  }

  func now() -> UInt64 { clock }

  func wait(_ nanoseconds: Int64?) {
    waits += 1
    let deadline = nanoseconds.map { clock + UInt64(max(0, $0)) } ?? .max
    if isWoken {
      isWoken = false
      return
    }
    while true {
      let next = min(agenda.first?.time ?? .max, deadline)
      let mishap = mishaps.first?.time ?? .max
      if mishap <= next, mishap != .max {
        // A card that stops wakes the waiting loop.
        advance(to: mishap)
        if fault != nil { return }
        continue
      }
      guard next != .max else {
        isEnded = true
        return
      }
      advance(to: next)
      guard let first = agenda.first, first.time <= clock else { return }
      agenda.removeFirst()
      first.action()
      if isWoken {
        isWoken = false
        return
      }
      if clock >= deadline { return }
    }
  }

  func wake() { isWoken = true }

  /// Whether the loop waits for an event that never occurs.
  var isIdle: Bool { isEnded }
}
