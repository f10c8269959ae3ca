// A sound card in simulated time that records its output, and the audio loop on it. One thread.

import Daemon
import Platform
import PlaybackModel
import Player
import RealtimeAudio

@testable import Simulator

final class SimulatedCard: PCMDevice, @unchecked Sendable {
  let rate: SampleRate
  let format = SampleFormat.float32
  let channels = 2
  let strategy: BufferStrategy
  let bufferFrames: Int
  /// Whether opening the card fails.
  let isMissing: Bool

  /// Number of frames played that were not silent.
  private(set) var heard = 0
  /// The left sample of the last frame played.
  private(set) var last: Float = 0
  /// The peak of all left samples played.
  private(set) var loudest: Float = 0
  private unowned let scheduler: SimulatedScheduler
  private var queue: [Float] = []
  private var first = 0
  private var startedAt: UInt64?
  private var playedSinceStart = 0

  init(_ scheduler: SimulatedScheduler, rate: SampleRate, isMissing: Bool = false) {
    self.scheduler = scheduler
    self.rate = rate
    self.isMissing = isMissing
    bufferFrames = rate.hertz / 2
    strategy = .deep(queue: bufferFrames, margin: rate.hertz / 100)
  }

  private var queued: Int { queue.count - first }

  /// Plays the frames that are due by now. Returns false on an underrun.
  private func play() -> Bool {
    guard let startedAt else { return true }
    let due = Int(Double(scheduler.now - startedAt) * Double(rate.hertz) / 1e9) - playedSinceStart
    let taken = min(due, queued)
    for sample in queue[first..<(first + taken)] where sample != 0 {
      heard += 1
      last = sample
      loudest = max(loudest, abs(sample))
    }
    first += taken
    playedSinceStart += taken
    if first > 1 << 16 {
      queue.removeFirst(first)
      first = 0
    }
    return taken == due
  }

  private func check() throws(PCMFault) { if isMissing { throw .lost } }

  func prepare() throws(PCMFault) {
    try check()
    stop()
  }

  func start() throws(PCMFault) {
    try check()
    (startedAt, playedSinceStart) = (scheduler.now, 0)
  }

  func available() throws(PCMFault) -> Int {
    try check()
    guard play() else { throw .underrun }
    return bufferFrames - queued
  }

  func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int {
    try check()
    let taken = min(frames, bufferFrames - queued)
    let samples = bytes.assumingMemoryBound(to: Float.self)
    for frame in 0..<taken { queue.append(samples[2 * frame]) }
    return taken
  }

  func rewind(_ frames: Int) -> Int {
    let taken = min(frames, queued)
    queue.removeLast(taken)
    return taken
  }

  func stop() {
    startedAt = nil
    (queue, first) = ([], 0)
  }

  func reopen() -> Bool { !isMissing }
  func now() -> UInt64 { scheduler.now }
  func wait(_ nanoseconds: Int64?) { preconditionFailure("nothing waits in simulated time") }
  func wake() {}
}

/// Runs an audio loop with timers.
final class SimulatedAudio: AudioRunner {
  let link: AudioLink
  let grant: RealtimeGrant? = nil
  let reportSource: any EventSource
  private let device: any PCMDevice
  private let loop: AudioLoop
  private let timer: DeadlineTimer
  private let bell = Bell()

  /// Wakes the loop in place of the device.
  private final class Bell: @unchecked Sendable { var onRing: () -> Void = {} }

  init(_ device: any PCMDevice, _ scheduler: SimulatedScheduler) {
    let (reports, bell) = (SimulatedSource(scheduler), bell)
    self.device = device
    reportSource = reports
    link = AudioLink(wakeAudio: { bell.onRing() }, notifyControl: { reports.signal() })
    loop = AudioLoop(device: device, link: link)
    timer = DeadlineTimer(scheduler)
    bell.onRing = { [unowned self] in turn(after: 0) }
    turn(after: 0)
  }

  private func turn(after nanoseconds: UInt64) {
    timer.start(after: nanoseconds) { [unowned self] in
      if let pause = loop.turn() { turn(after: UInt64(pause)) }
    }
  }

  func stop() {
    timer.stop()
    bell.onRing = {}
    device.stop()
  }
}
