// The audio loop: each turn queries the device, applies commands, renders, writes, and returns how long to wait. Runs
// on the audio thread, or on the control thread for recordings. Between two device calls it runs only mixer functions
// that are proved free of locks and allocation.

import PlaybackModel
import Synchronization

/// Drives a mixer and an output device.
package final class AudioLoop: @unchecked Sendable {
  enum Phase {
    /// The device is stopped; nothing is audible.
    case parked
    case running
    /// The device is lost; `retryAt` is the time of the next attempt to reopen it.
    case lost(retryAt: UInt64, delay: UInt64)
  }

  /// What the loop waits for until the next turn.
  enum Wait {
    /// A command only.
    case command
    case nanoseconds(Int64)
    /// The device's queue, or an earlier event.
    case queue
  }

  let device: any PCMDevice
  let link: AudioLink
  var mixer: Mixer
  var phase = Phase.parked
  var strategy: BufferStrategy
  private let scratch: UnsafeMutableRawPointer
  /// Frames passed to the device, and how many of them are audible.
  var progress = OutputProgress()
  /// The frame from which on everything was silent.
  var silentSince: Int64?
  /// What was reported last.
  var reported = ReportedLast()
  /// Whether a ring could not fill the queue.
  private(set) var isShort = false
  /// When commands were last processed.
  private(set) var answered = AnswerTimes()
  /// Number of times that the start was postponed because a writer had no frames yet.
  private var startsPutOff = 0
  /// Planned time of the next turn, to measure its lateness.
  private var plannedTurn: UInt64?
  var faults = FaultHistory()
  let lengths: QueueLengths

  /// Creates a loop for an open device and allocates all of its memory.
  package init(device: any PCMDevice, link: AudioLink) {
    self.device = device
    self.link = link
    mixer = Mixer(rate: device.rate, format: device.format, channels: device.channels)
    strategy = device.strategy
    let byteCount = strategy.mostAtOnce * device.format.bytes * device.channels
    scratch = .allocate(byteCount: byteCount, alignment: 64)
    scratch.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    lengths = QueueLengths(rate: device.rate)
    if case .shallow = strategy { link.shallow.store(true, ordering: .releasing) }
  }

  deinit { scratch.deallocate() }

  /// The next timeline frame to render.
  package var frame: Frames { mixer.frame }

  /// Does all work that is due.
  ///
  /// - Returns: Nanoseconds until the next turn is needed; nil if only a command makes one necessary.
  package func turn() -> Int64? {
    _ = link.counters.turns.wrappingAdd(1, ordering: .relaxed)
    if let plannedTurn {
      let now = device.now()
      if now > plannedTurn { link.counters.noteLateness(Int(clamping: now - plannedTurn)) }
    }
    var wait: Wait
    do throws(PCMFault) {
      switch phase {
      case .parked: wait = try parkedTurn()
      case .running: wait = try runningTurn()
      case .lost(let retryAt, let delay): wait = lostTurn(retryAt: retryAt, delay: delay)
      }
    } catch {
      wait = recover(from: error)
    }
    let steadyUntil = mixer.steadyUntil(from: Frames(progress.heard))
    publish(steadyUntil: steadyUntil)
    let pause: Int64? =
      switch wait {
      case .command: nil
      case .nanoseconds(let time): time
      case .queue: timeUntilNextTurn(steadyUntil: steadyUntil)
      }
    plannedTurn = isOffline ? nil : pause.map { device.now() + UInt64(max(0, $0)) }
    return pause
  }

  /// The first frame that must not be rendered; `.max` means no limit.
  var limit: Int64 { link.limit.load(ordering: .acquiring) }
  var hasLimit: Bool { limit != .max }
  /// Whether the output is a recording; its frames count as audible once rendered.
  var isOffline: Bool { if case .offline = strategy { true } else { false } }

  // MARK: Phases

  private func parkedTurn() throws(PCMFault) -> Wait {
    // In a recording, the control thread's reaction to an event may concern the very next frame.
    if standStill(), isOffline { return .nanoseconds(0) }
    reportLimit()
    guard mixer.frame.count < limit, hasLimit || !mixer.isQuiescent else {
      link.parked.store(true, ordering: .releasing)
      return .command
    }
    try device.prepare()
    // The device may have changed its buffer while it was stopped.
    adopt(deviceStrategy)
    phase = .running
    link.parked.store(false, ordering: .releasing)
    silentSince = nil
    let first = mixer.frame
    try fill(room: queueLimit)
    if mixer.frame == first, startsPutOff < 20 {
      // No frames to start with: keep the device stopped and wait for the writer.
      startsPutOff += 1
      phase = .parked
      return .nanoseconds(2_000_000)
    }
    startsPutOff = 0
    try device.start()
    progress.start(at: device.now())
    // The device may have revised its strategy after the start.
    adopt(deviceStrategy)
    return .queue
  }

  /// Processes commands while the output is stopped.
  ///
  /// - Returns: Whether any event was reported.
  @discardableResult
  func standStill() -> Bool {
    takeCommands()
    mixer.settle()
    progress.rest(at: mixer.frame.count, time: device.now())
    let isTold = deliverEvents()
    mixer.forget(before: mixer.frame)
    return isTold
  }

  private func runningTurn() throws(PCMFault) -> Wait {
    var queued = try askDevice()
    if link.hasCommands {
      let got = try takeBack(queued: queued)
      queued -= got
      takeCommands()
      // The commands may start a sound that ends within the frames rendered next.
      silentSince = nil
      if got > 0 {
        try fill(room: lengths.firstWrite)
        queued = try askDevice()
      }
    }
    try fill(room: queueLimit - queued)
    deliverEvents()
    reportLowRings()
    mixer.forget(before: Frames(progress.heard))
    if shouldPark() {
      park()
      return .command
    }
    return .queue
  }

  // MARK: Device

  /// Maximum queue length in frames. It is shorter for a second after each command, because another may follow, and
  /// shorter still during a live input.
  var queueLimit: Int {
    let most = min(strategy.queue, device.bufferFrames, lengths.longest)
    guard case .deep = strategy, !hasLimit else { return most }
    if mixer.hasLiveInput { return min(most, lengths.live) }
    guard device.now() < answered.takenAt + 1_000_000_000 else { return most }
    return min(most, lengths.brisk)
  }

  /// Returns the frames queued in the device and updates the audible position.
  private func askDevice() throws(PCMFault) -> Int {
    let available = try device.available()
    let queued = max(0, device.bufferFrames - available)
    let now = device.now()
    if progress.note(queued: queued, latency: device.latency, at: now) {
      faults.noteProgress()
    } else if queued > 0, now > progress.movedAt + longestStandstill {
      // The device reports no error, but it has stopped consuming frames.
      throw .lost
    }
    return queued
  }

  /// Nanoseconds that a running device may stand still: the duration of its buffer plus one second.
  private var longestStandstill: UInt64 {
    UInt64(Double(device.bufferFrames) / Double(device.rate.hertz) * 1e9) + 1_000_000_000
  }

  /// Rewinds the device's queue, so that commands can change it.
  ///
  /// - Returns: Frames rewound.
  private func takeBack(queued: Int) throws(PCMFault) -> Int {
    guard case .deep(_, let margin) = strategy, queued > margin, !hasLimit else { return 0 }
    let got = min(device.rewind(queued - margin), queued - margin)
    guard got > 0 else {
      // The rewind also fails if the card is gone; this throws in that case.
      _ = try askDevice()
      goShallow()
      return 0
    }
    answered.rewoundAt = device.now()
    _ = link.counters.rewinds.wrappingAdd(1, ordering: .relaxed)
    let target = mixer.frame.count - Int64(got)
    guard mixer.restore(to: Frames(target)) else {
      // The mixer's window is longer than any queue, so the device rewound more frames than it was given.
      goShallow()
      throw .underrun
    }
    progress.takeBack(to: target)
    if let silent = silentSince, silent > target { silentSince = nil }
    return got
  }

  /// Renders and writes up to `room` frames, as far as the rings have frames.
  private func fill(room: Int) throws(PCMFault) {
    var room = wholeQuanta(room)
    isShort = false
    while room > 0 {
      // End at a quantum boundary, to render few partial quanta.
      var count = min(room, strategy.mostAtOnce - Int(mixer.frame.count % Int64(mixer.quantum)))
      // Process commands first; they would rewind these frames.
      if case .deep = strategy, isQueueComfortable, link.hasCommands { break }
      if hasLimit { count = Int(min(Int64(count), max(0, limit - mixer.frame.count))) }
      guard count > 0 else { break }
      mixer.applyDue()
      // Wait for an announcement's frames only while the queue is long enough for the music.
      let supply =
        isOffline || isQueueAmple ? min(mixer.supply(), mixer.announcementSupply()) : mixer.supply()
      if supply < count {
        isShort = supply < room
        // Wait for the worker's frames as long as the queue allows.
        if supply <= 0, isOffline || isQueueComfortable || (!progress.isStarted && startsPutOff < 20) {
          break
        }
        count = min(count, max(supply, Mixer.shortestQuantum))
      }
      // The reaction to an event may concern the very next frame; a track may be shorter than one turn of a recording.
      let rendered = mixer.render(
        count, into: scratch, stopsAtSilence: isOffline && !hasLimit, stopsAtEvents: isOffline)
      guard rendered > 0 else { break }
      guard try handOver(rendered) else { return }
      room -= rendered
      if isOffline {
        // The frames are final, so a released deck is free at once.
        mixer.settle()
        progress.hear(upTo: mixer.frame.count)
        if deliverEvents() { break }
        mixer.forget(before: mixer.frame)
      }
    }
    reportLimit()
    if isOffline {
      progress.hear(upTo: mixer.frame.count)
      deliverEvents()
    }
  }

  /// Reduces a number of frames so that rendering ends at a quantum boundary, since partial quanta cost as much as
  /// whole ones. Small numbers, as in short buffers, stay unchanged.
  private func wholeQuanta(_ frames: Int) -> Int {
    guard frames >= 4 * mixer.quantum else { return frames }
    return frames - Int((mixer.frame.count + Int64(frames)) % Int64(mixer.quantum))
  }

  /// Writes rendered frames to the device.
  ///
  /// - Returns: False if the device accepted fewer frames than it had reported as available; the mixer is rewound to
  ///   the rest.
  private func handOver(_ rendered: Int) throws(PCMFault) -> Bool {
    var written = 0
    while written < rendered {
      let n = try device.write(scratch + written * mixer.frameBytes, frames: rendered - written)
      if n == 0 { return !mixer.restore(to: Frames(progress.handedOver)) }
      written += n
      progress.handOver(n)
    }
    return true
  }

  private func takeCommands() {
    // With a limit or in a recording, the decisions are already reported.
    if !hasLimit, !isOffline, link.hasCommands { mixer.reopenFrame() }
    guard link.hasCommands else { return }
    answered.takenAt = device.now()
    while !mixer.isTimelineFull, let request = link.takeCommand() { _ = mixer.insert(request) }
  }
}
