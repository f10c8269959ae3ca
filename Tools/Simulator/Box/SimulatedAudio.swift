// Audio loop and card slot of a simulated box. The loop runs on the simulation's single thread instead of an audio
// thread.

import Daemon
import Platform
import PlaybackModel
import Player
import RealtimeAudio

/// Audio loop that the simulation turns.
final class SimulatedAudio: AudioRunner {
  let link: AudioLink
  let grant: RealtimeGrant? = nil
  let reportSource: any EventSource
  private let loop: AudioLoop
  private let device: any PCMDevice
  private var isStopped = false

  init(_ device: any PCMDevice, on scheduler: SimulatedScheduler, card: SimulatedCard) {
    let reports = SimulatedSource(scheduler)
    reportSource = reports
    link = AudioLink(wakeAudio: { card.wake() }, notifyControl: { reports.signal() })
    loop = AudioLoop(device: device, link: link)
    self.device = device
    card.wake()
  }

  func turn() -> UInt64? { isStopped ? nil : loop.turn().map { UInt64(max(0, $0)) } }

  func stop() {
    isStopped = true
    device.stop()
  }
}

/// A process's handle on the card. It fails permanently once the card was swapped or another handle has it open.
final class CardHandle: PCMDevice, @unchecked Sendable {
  private let card: SimulatedCard
  private unowned let slot: CardSlot
  private let generation: Int

  /// Factor applied to every sample, for `Saboteur.volume`.
  private let gain: Float

  init(_ card: SimulatedCard, in slot: CardSlot, gain: Float = 1) {
    self.gain = gain
    self.card = card
    self.slot = slot
    generation = slot.generation
  }

  deinit {
    guard isMine else { return }
    card.stop()
    slot.holder = nil
  }

  private var isMine: Bool { slot.holder == ObjectIdentifier(self) && slot.generation == generation }

  private func check() throws(PCMFault) {
    guard isMine else { throw .lost }
  }

  private func passOn<Value>(_ call: () throws(PCMFault) -> Value) throws(PCMFault) -> Value {
    try check()
    do throws(PCMFault) {
      return try call()
    } catch {
      // A lost card is free for other handles.
      if error == .lost { slot.holder = nil }
      throw error
    }
  }

  var rate: SampleRate { card.rate }
  var format: SampleFormat { card.format }
  var channels: Int { card.channels }
  var strategy: BufferStrategy { card.strategy }
  var bufferFrames: Int { card.bufferFrames }

  func prepare() throws(PCMFault) { try passOn { () throws(PCMFault) in try card.prepare() } }
  func start() throws(PCMFault) { try passOn { () throws(PCMFault) in try card.start() } }
  func available() throws(PCMFault) -> Int { try passOn { () throws(PCMFault) in try card.available() } }

  func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int {
    guard gain != 1 else {
      return try passOn { () throws(PCMFault) in try card.write(bytes, frames: frames) }
    }
    let samples = UnsafeBufferPointer(start: bytes.assumingMemoryBound(to: Float.self), count: 2 * frames)
    let louder = samples.map { $0 * gain }
    return try passOn { () throws(PCMFault) in try card.write(louder, frames: frames) }
  }

  func rewind(_ frames: Int) -> Int { isMine ? card.rewind(frames) : 0 }

  func stop() { if isMine { card.stop() } }

  func reopen() -> Bool {
    guard slot.generation == generation, slot.holder == nil || isMine, card.reopen() else { return false }
    slot.holder = ObjectIdentifier(self)
    return true
  }

  func now() -> UInt64 { card.now() }
  func wait(_ nanoseconds: Int64?) {}
  func wake() { card.wake() }
}

/// Slot of the sound card: which card is in it, and which handle has it open.
final class CardSlot {
  /// Number of cards that have been in the slot before the present one.
  var generation = 0
  /// Handle that has the card open.
  var holder: ObjectIdentifier?
  /// Time in nanoseconds until which the slot is empty after the first power-on.
  var emptyUntil: UInt64 = 0
}

/// Placeholder device of a box without a sound card; every call fails.
final class NoCard: PCMDevice, @unchecked Sendable {
  let rate: SampleRate
  let format = SampleFormat.float32
  let channels = 2
  let bufferFrames = 4096
  private let card: SimulatedCard

  init(beside card: SimulatedCard) {
    rate = card.rate
    self.card = card
  }

  var strategy: BufferStrategy { .shallow(queue: 2048) }
  func prepare() throws(PCMFault) { throw .lost }
  func start() throws(PCMFault) { throw .lost }
  func available() throws(PCMFault) -> Int { throw .lost }
  func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int { throw .lost }
  func rewind(_ frames: Int) -> Int { 0 }
  func stop() {}
  func reopen() -> Bool { false }
  func now() -> UInt64 { card.now() }
  func wait(_ nanoseconds: Int64?) {}
  func wake() { card.wake() }
}
