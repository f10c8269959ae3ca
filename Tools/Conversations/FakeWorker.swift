// A worker without a process: it holds the other end of a real socket and of a real ring. Healthy ones decode a signal; others
// do so until they are told to lie. One thread.

import AudioRing
import Platform
import PlaybackModel
import Decoding

/// Counts the workers of one trial.
final class Census {
  /// Those whose ring is mapped.
  var workers = 0
}

/// What stands in for one worker process.
final class FakeWorker: WorkerProcess {
  /// Of a healthy track; nil for a hostile one.
  let track: Int?
  let layout: RingLayout
  let base: UnsafeMutableRawPointer
  /// Whether it does what a worker should.
  var isHonest = true
  /// What a hostile one plays while it is honest.
  let hostileSample: Float
  /// Frames of the track; nil where it never ends.
  var length: Int?
  /// What was sent last, to be sent again.
  var lastSent: [UInt8] = []
  /// The seek that the engine asked for last.
  private(set) var asked: (generation: UInt32, position: UInt64, index: UInt64) = (0, 0, 0)
  private(set) var isDead = false
  private(set) var diedAt: UInt64 = 0
  private(set) var hasSpoken = false
  /// The next frame of the track.
  private(set) var position: Int
  private(set) var start: Int
  private let census: Census
  private let clock: TrialClock
  private let memory: SharedMemory
  private var line: Line?
  private var writer: RingWriter
  private let ended: WakeUp
  private var cause = ChildProcess.Ending.Cause.killed(signal: 9)
  private var startIndex: UInt64 = 0
  private var isAnnounced = false
  private var hasEnded = false
  private var buffer = [UInt8](repeating: 0, count: 64)

  deinit { census.workers -= 1 }

  private final class Line {
    let socket: MessageSocket
    init(_ socket: consuming MessageSocket) { self.socket = socket }
  }

  init(
    _ clock: TrialClock, _ census: Census, track: Int?, length: Int?, start: Int, hostileSample: Float,
    socket: consuming MessageSocket, ring: consuming SharedMemory, _ layout: RingLayout
  ) throws(SystemError) {
    ended = try WakeUp()
    self.census = census
    census.workers += 1
    self.clock = clock
    self.track = track
    self.length = length
    self.start = max(0, length.map { min(start, $0) } ?? start)
    position = self.start
    self.hostileSample = hostileSample
    self.layout = layout
    base = ring.base
    memory = ring
    line = Line(socket)
    writer = RingWriter(layout: layout, base: base)
  }

  // MARK: WorkerProcess

  var pid: Int32 { 1 }
  var descriptor: Int32 { ended.descriptor }
  var processorTime: ProcessorTime? { nil }
  var waitsForStorage: Bool { false }
  func allowCPU(seconds: Int) { precondition(seconds > 0 && seconds <= 366 * 86_400, "an allowance is one") }
  func reap() -> ChildProcess.Ending? { isDead ? ChildProcess.Ending(cause, peakKiB: 1 << 20) : nil }
  func kill() { die(.killed(signal: 9)) }

  /// Its process ends; the kernel closes its socket.
  func die(_ cause: ChildProcess.Ending.Cause) {
    guard !isDead else { return }
    self.cause = cause
    isDead = true
    diedAt = clock.now
    line = nil
    ended.signal()
  }

  /// A process that was killed may go on for a moment, on another processor.
  var canScribble: Bool { !isDead || clock.now < diedAt + 2_000_000 }

  // MARK: What a worker does

  /// Sends a packet, whatever is in it.
  func send(_ bytes: [UInt8]) {
    lastSent = bytes
    line?.socket.send(bytes)
  }

  /// Closes its end, and lives on.
  func hangUp() { line = nil }

  /// Takes what the engine has sent.
  func listen() {
    while let line {
      switch line.socket.receive(into: &buffer) {
      case .nothing, .closed: return
      case .tooLong: continue
      case .message(let count):
        guard let seek = Wire.seek(buffer[..<count]) else { continue }
        asked = seek
        if isHonest { move(to: seek) }
      }
    }
  }

  private func move(to seek: (generation: UInt32, position: UInt64, index: UInt64)) {
    writer.restart(at: seek.index)
    position = Int(clamping: seek.position)
    if let length { position = min(position, length) }
    (startIndex, start, isAnnounced, hasEnded) = (seek.index, position, false, false)
  }

  /// Does its work, as far as the ring has room.
  func work() {
    listen()
    guard isHonest, !isDead else { return }
    if !hasSpoken { open() }
    fill()
    if !isAnnounced { announce() }
    guard let length, position >= length, !hasEnded else { return }
    hasEnded = true
    writer.finish()
    send(Wire.answer(4, asked.generation, writer.writeIndex, UInt64(length)))
  }

  /// Says what the file is.
  func open(rate: UInt32 = 8000) {
    hasSpoken = true
    let frames = length.map { UInt64($0) } ?? Wire.noLength
    send(Wire.opened(Wire.Stream(rate: rate, sourceFrames: frames, totalFrames: frames)))
  }

  /// Answers the last seek, or says that there is enough to begin with.
  func announce() {
    isAnnounced = true
    if asked.generation == 0 {
      send(Wire.ready(startIndex, UInt64(start)))
    } else {
      send(Wire.answer(3, asked.generation, startIndex, UInt64(start)))
    }
  }

  /// Writes frames wherever there is room for them.
  func fill() {
    // A header that was scribbled on says anything; a writer of ours does not expect that.
    let used = Int64(bitPattern: writer.writeIndex &- writer.retainIndex)
    guard used >= -1 << 20, used <= 1 << 20 else { return }
    var room = layout.capacity
    while room > 0, length.map({ position < $0 }) ?? true {
      let space = writer.contiguous()
      let count = min(space.count / 2, length.map { $0 - position } ?? .max)
      guard count > 0 else { return }
      room -= count
      for frame in 0..<count {
        if let track {
          space[2 * frame] = HealthySignal.level
          space[2 * frame + 1] = HealthySignal.level * HealthySignal.ratio(track << 15 | position + frame)
        } else {
          space[2 * frame] = -hostileSample
          space[2 * frame + 1] = (position + frame) & 1 == 0 ? hostileSample : -hostileSample
        }
      }
      writer.commit(count)
      position += count
    }
  }
}
